/**
 * The adoption of a rebuild: stores that were filled in the background take the place of those that serve, in one commit.
 */
import type { GroupId, TopicName } from './log.ts';

export interface Adoption {
  /** The group whose stores are replaced. */
  readonly group: GroupId;
  /** The tag of the rebuild: its stores, its group and its own topics have shadow names with it (pure/store/shadow.ts). */
  readonly tag: string;
  /** The topics that fill the rebuild, besides its own: both groups must be at the same offsets there. */
  readonly sources: readonly TopicName[];
  /** The topics between tasks, by the names under which they serve, in which the group itself must have read everything. */
  readonly drained: readonly TopicName[];
  /** The tag under which what served until now is kept; undefined: it is deleted. */
  readonly keptAs: string | undefined;
  /** How long it is kept, ms since 1970. */
  readonly keptUntil: number;
  /**
   * If both are not at the same records: for so long, in ms, the group commits nothing that it reads from the sources, so that the rebuild
   * reaches it, while the group itself reads its own topics to their ends. 0: the group goes on.
   */
  readonly sealMs: number;
}
/** Nothing has changed unless `adopted`. */
export interface Adopted {
  readonly adopted: boolean;
  /** Records of the sources that the group has processed, and the rebuild has not. */
  readonly behind: bigint;
  /** Records between tasks that the rebuild has not processed yet. */
  readonly between: bigint;
  /** Records between tasks that the group has not processed yet, in the topics that must be drained. */
  readonly undrained: bigint;
}
