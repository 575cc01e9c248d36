/** Help lines for a topic's settings, made from their tables: `  --retention D         keeps records …: 7d; forever when left out`. */
import { OF_COMPACTED_TOPICS, OF_EVERY_TOPIC, type Setting } from '@stoplog/core/tools';

const LETTERS: Readonly<Record<Setting['type'], string>> = { count: 'N', duration: 'D', bytes: 'S', share: 'R', choice: 'C' };

export const settingHelp = ({ type, option, optionExample, sentence, defaultText }: Setting): string =>
  `${`  --${option} ${LETTERS[type]}`.padEnd(22)}  ${lowered(sentence)}${type === 'choice' ? '' : `: ${optionExample}`}; ${defaultText} when left out`;

const lowered = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);
const linesOf = (table: Readonly<Record<string, Setting>>): readonly string[] =>
  Object.values(table)
    .filter(({ keptIn, option }) => option !== undefined && (keptIn === 'forgetting' || option === 'retention'))
    .map(settingHelp);

export const SETTINGS_HELP: string = [
  '  --cleanup P           delete (when left out): delete by age and size; compact: keep the latest record of each key; or both',
  ...linesOf(OF_EVERY_TOPIC),
  '',
  '  For compacted topics',
  ...linesOf(OF_COMPACTED_TOPICS),
].join('\n');
