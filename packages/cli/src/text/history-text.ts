/** What a history of a key lacks: records that are gone, and records that have not reached the store yet. */
import { grouped, type HistoryInput, oneLine } from '@stoplog/runtime/kit';

export const historyNotes = (store: string, key: string, shown: number, inputs: readonly HistoryInput[]): readonly string[] => {
  const where = inputs.map(({ topic, partition }) => `${topic}[${partition}]`).join(' and ');
  const none = shown > 0 ? [] : [`no record of '${oneLine(key)}' in ${where} has reached store '${oneLine(store)}'`];
  return [...none, ...inputs.flatMap(notesOf)];
};

const notesOf = ({ topic, partition, start, position, end, isCompacted }: HistoryInput): readonly string[] => {
  const place = `${topic}[${partition}]`;
  return [
    ...(start > 0n ? [`${place} begins at offset ${start}: earlier records are gone, and may have made the value too`] : []),
    ...(isCompacted ? [`'${topic}' is compacted: earlier records of the key may be gone`] : []),
    ...(end > position
      ? [`the pipeline is at offset ${position} of ${place}: ${grouped(Number(end - position))} more records have not reached the store yet`]
      : []),
  ];
};
