/**
 * Finds possible entries on a page that cannot be trusted: its header and bounds are ignored, and only a node's being within
 * the page counts. The caller proves each entry by a checksum.
 */
import { PAGE_HEADER, pagesFor, u64, viewOf } from './page.ts';

export interface LooseNode {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
  /** The pages of the value, when it is not on this page. */
  readonly overflow: { readonly page: number; readonly pages: number; readonly size: number } | undefined;
}
const NODE_HEADER = 8;

export function* looseNodes(bytes: Uint8Array): Generator<LooseNode> {
  const view = viewOf(bytes);
  for (let i = PAGE_HEADER; i + 2 <= bytes.length; i += 2) {
    const at = PAGE_HEADER + view.getUint16(i, true);
    // Nodes come after the list that leads to them.
    if (at < i + 2 || at + NODE_HEADER > bytes.length) return;
    const [size, keyEnd] = [view.getUint32(at, true), at + NODE_HEADER + view.getUint16(at + 6, true)];
    if (keyEnd > bytes.length || keyEnd === at + NODE_HEADER) continue;
    const key = bytes.subarray(at + NODE_HEADER, keyEnd);
    if ((view.getUint16(at + 4, true) & 1) === 0) {
      if (keyEnd + size <= bytes.length) yield { key, value: bytes.subarray(keyEnd, keyEnd + size), overflow: undefined };
    } else if (keyEnd + 8 <= bytes.length) {
      yield { key, value: undefined, overflow: { page: u64(view, keyEnd), pages: pagesFor(size, bytes.length), size } };
    }
  }
}
