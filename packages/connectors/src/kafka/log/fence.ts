/** Identifies the member and generation of a commit for the coordinator of the group. */
export interface Fence {
  readonly memberId: string;
  readonly generation: number;
  readonly instanceId: string | null;
}
