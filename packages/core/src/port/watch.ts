/** The progress of a long operation, and the signal that ends it. */
export interface Progress {
  readonly step: 'copying' | 'verifying';
  /** Bytes of the file that is read. */
  readonly passed: number;
  readonly total: number;
}
export interface Watch {
  /** Aborting ends the operation with `signal.reason`, and leaves nothing behind. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}
