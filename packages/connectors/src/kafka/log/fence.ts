/** What a commit in the name of a member says to the group's coordinator. */
export interface Fence {
  readonly memberId: string;
  readonly generation: number;
  readonly instanceId: string | null;
}
