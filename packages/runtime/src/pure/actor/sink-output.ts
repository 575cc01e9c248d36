/**
 * The records of one batch for a sink, kept until the batch is cut.
 *
 * After a crash the actor reads the records since its last commit again. The sink may already have the outputs of some of them: it
 * reports its position, and outputs of records below that position are left out here. So the sink gets each record once, though the
 * task's function is called again.
 */
import type { SinkRecord } from '@stoplog/core/port';
import type { SinkPort } from '../nodes/node.ts';
import type { AnyRecord } from '../nodes/record.ts';
import { KeyMap } from './key-map.ts';
import { sizeOfValue } from './value-size.ts';

/** The bytes of a record beside its key and value. */
const RECORD_BYTES = 100;

export class SinkOutput implements SinkPort {
  /** The sink has all outputs of records below this offset. */
  readonly #writtenTo: bigint;
  readonly #latest = new KeyMap<SinkRecord>();
  #records: SinkRecord[] = [];
  #offset = -1n;
  #index = 0;
  #bytes = 0;

  /** `recovered` is the position that the sink has kept; undefined where it keeps none. */
  constructor(recovered: bigint | undefined) {
    this.#writtenTo = recovered ?? 0n;
  }

  get isEmpty(): boolean {
    return this.#records.length === 0 && this.#latest.size === 0;
  }
  /** Roughly the bytes since the last `take`; a key that changed several times counts each time. */
  get dirtyBytes(): number {
    return this.#bytes;
  }
  record(record: AnyRecord): void {
    const made = this.#made(record.key, record.value, record);
    if (made !== undefined) this.#records.push(made);
  }
  latest(key: unknown, value: unknown, record: AnyRecord): void {
    const made = this.#made(key, value ?? null, record);
    if (made !== undefined) this.#latest.set(key, made);
  }
  /** Takes everything since the last call. Table changes come after the records, one for each key. */
  take(): readonly SinkRecord[] {
    const taken = [...this.#records, ...this.#latest.values()];
    this.#records = [];
    this.#latest.clear();
    this.#bytes = 0;
    return taken;
  }

  /** Returns undefined for a record that the sink has. The index counts such a record too, so that a record always has the same index. */
  #made(key: unknown, value: unknown, { offset, timestamp, headers }: AnyRecord): SinkRecord | undefined {
    if (offset !== this.#offset) {
      this.#offset = offset;
      this.#index = 0;
    }
    const index = this.#index++;
    if (offset < this.#writtenTo) return undefined;
    this.#bytes += RECORD_BYTES + sizeOfValue(key) + sizeOfValue(value);
    return { key, value, timestamp, headers, offset, index };
  }
}
