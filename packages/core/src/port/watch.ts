/** How whoever started something long sees it go on, and ends it. */
export interface Progress {
  readonly step: 'copying' | 'verifying';
  /** Bytes of the file that is read. */
  readonly passed: number;
  readonly total: number;
}
export interface Watch {
  /** Aborted, it ends with `signal.reason`, and leaves nothing behind. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}
