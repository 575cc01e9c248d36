/** The options that say how a topic forgets, as the help of `topics create` and `topics alter` shows them. */
export const SETTINGS_HELP = `  --cleanup P           delete (when left out): forget by age and size; compact: keep the latest record of each key; or both
  --retention D         keep records this long at least: 90m, 7d; forever when left out
  --retention-bytes S   and so many bytes of each partition at least: 500MB, 10GB; no limit when left out
  --segment D           forget in pieces of this length: 7d when left out, or an eighth of the retention
  --segment-bytes S     and this size: 64MiB when left out
  --age-by C            age by arrival (when left out), or by the timestamp of records

  Of a compacted topic
  --delete-retention D  keep a deletion so long after the first cleaning that meets it: 1d when left out
  --min-compaction-lag D  compact nothing that is younger: 0s when left out
  --max-compaction-lag D  leave nothing that is older: no limit when left out
  --min-dirty-ratio R   compact when this share of bytes is new: 0.5 when left out`;
