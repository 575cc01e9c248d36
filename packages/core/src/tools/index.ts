/**
 * `@stoplog/core/tools`: the operations of a command line on a log: groups and resets, usage, check, repair, backup.
 */
export type { PartitionCleaning, GroupMember, GroupDescription } from '../port/administration.ts';
export type { Adopted, Adoption } from '../port/rebuilding.ts';
export type { CheckReport, InspectionProgress, RepairedPartition, RepairReport } from '../port/inspection.ts';
export type { Cleaned, CleanOptions, Tools } from '../port/tools.ts';
export type { Usage } from '../port/usage.ts';
export type { Progress, Watch } from '../port/watch.ts';
export { isDamage, placeText, type Finding } from '../pure/log/finding.ts';
export { cleanupOf } from '../pure/retention/cleanup.ts';
export { cleaningOf, type CleaningSpec } from '../pure/topic/cleaning.ts';
export type { Setting } from '../pure/topic/setting.ts';
export { OF_COMPACTED_TOPICS, OF_EVERY_TOPIC } from '../pure/topic/topic-settings.ts';
export { topicFromShape } from '../pure/topic/topic-from-shape.ts';
export { occupantText, occupiedError } from '../pure/group/occupied.ts';
export { loadTools } from '../client/tools.ts';
export { parsePositions, planReset, positionsText, type ResetLine, type ResetPlace, type ResetTarget } from '../pure/group/reset.ts';
