/**
 * The producers of a memory log: their incarnations, and the batches that it remembers of each.
 */
import { FORGET_PRODUCER_MS, step, type ProducerIncarnation, type ProducerStamp, type ProducerState } from '../pure/producer/producer.ts';
import { outOfSequence, producerFenced } from '../pure/producer/refusals.ts';
import { checkName } from '../pure/topic/name.ts';

interface Known {
  readonly id: number;
  readonly name: string;
  epoch: number;
  at: number;
  /** By partition. */
  readonly states: Map<string, ProducerState>;
}
interface Arriving {
  readonly topic: string;
  readonly partition: number;
  readonly producer?: ProducerStamp | undefined;
}

export class MemoryProducers {
  readonly #byName = new Map<string, Known>();
  readonly #byId = new Map<number, Known>();
  #lastId = 0;

  open(name: string, held: ProducerIncarnation | undefined, now: number): ProducerIncarnation {
    checkName('producer', name);
    let known = this.#byName.get(name);
    if (held !== undefined && known !== undefined && (known.id !== held.id || known.epoch !== held.epoch)) throw producerFenced(name, held, known.epoch);
    if (known === undefined) {
      known = { id: ++this.#lastId, name, epoch: 0, at: now, states: new Map() };
      this.#byName.set(name, known);
      this.#byId.set(known.id, known);
    }
    known.at = now;
    if (held === undefined || known.epoch === 0) known.epoch++;
    return { id: known.id, epoch: known.epoch };
  }
  /** Checks the batches of one commit, in their order. */
  inCommit(now: number): InCommit {
    return new InCommit(this.#byId, now);
  }
  forget(now: number): void {
    for (const { id, name, at } of this.#byName.values()) {
      if (now - at <= FORGET_PRODUCER_MS) continue;
      this.#byName.delete(name);
      this.#byId.delete(id);
    }
  }
}

/** The changes of one commit, kept when the commit is accepted. */
class InCommit {
  readonly #byId: ReadonlyMap<number, Known>;
  readonly #now: number;
  readonly #changed = new Map<string, { readonly known: Known; readonly place: string; readonly state: ProducerState }>();
  constructor(byId: ReadonlyMap<number, Known>, now: number) {
    this.#byId = byId;
    this.#now = now;
  }
  /** The batch's existing offset; undefined when it is to be appended at `base`. Throws a refusal. */
  arrive(append: Arriving, count: number, base: bigint): bigint | undefined {
    const { topic, partition, producer } = append;
    if (producer === undefined) return undefined;
    const known = this.#byId.get(producer.id);
    if (known?.epoch !== producer.epoch) throw producerFenced(known?.name, producer, known?.epoch);
    const place = `${partition}:${topic}`;
    const name = `${producer.id}:${place}`;
    const [state, effect] = step(this.#changed.get(name)?.state ?? known.states.get(place), { ...producer, count, base });
    if (effect.type === 'refused') throw outOfSequence(known.name, append, producer, effect.expected);
    if (effect.type === 'repeated') return effect.base;
    this.#changed.set(name, { known, place, state: state! });
    return undefined;
  }
  /** Keeps the changes of the commit; returns a function that undoes them. */
  keep(): () => void {
    const undos = [...this.#changed.values()].map(({ known, place, state }) => {
      const [before, at] = [known.states.get(place), known.at];
      known.states.set(place, state);
      known.at = this.#now;
      return (): void => {
        if (before === undefined) known.states.delete(place);
        else known.states.set(place, before);
        known.at = at;
      };
    });
    return () => {
      for (const undo of undos) undo();
    };
  }
}
