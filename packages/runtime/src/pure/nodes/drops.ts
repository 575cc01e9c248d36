/**
 * Records without a key, which verbs with a store drop.
 *
 * Such records are spread over the partitions, so each partition would keep a state of its own for "no key", and a join would meet the
 * table's row only by chance. Dropped records are counted by verb and topic, and the app's status reports them.
 */
export interface Dropped {
  readonly verb: string;
  /** The topic in which the records were read. */
  readonly topic: string;
  readonly records: number;
}

export class Drops {
  readonly #counts = new Map<string, Dropped>();

  add(verb: string, topic: string): void {
    const name = `${verb} ${topic}`;
    this.#counts.set(name, { verb, topic, records: (this.#counts.get(name)?.records ?? 0) + 1 });
  }
  addAll(dropped: readonly Dropped[]): void {
    for (const { verb, topic, records } of dropped) {
      const name = `${verb} ${topic}`;
      this.#counts.set(name, { verb, topic, records: (this.#counts.get(name)?.records ?? 0) + records });
    }
  }
  all(): readonly Dropped[] {
    return [...this.#counts.values()];
  }
  take(): readonly Dropped[] {
    if (this.#counts.size === 0) return NONE;
    const taken = this.all();
    this.#counts.clear();
    return taken;
  }
}
const NONE: readonly Dropped[] = Object.freeze([]);
