/** `--timestamps given | arrival`: CreateTime or LogAppendTime for the records of a topic. */
import { OF_EVERY_TOPIC } from '@stoplog/core/tools';
import { valueIn } from '../text/topic-settings.ts';
import type { Arguments } from './arguments.ts';

export const timestampsIn = (given: Arguments): 'given' | 'arrival' | undefined => {
  const text = given.text('timestamps');
  // `valueIn` returns one of the setting's choices.
  return text === undefined ? undefined : (valueIn(text, 'timestamps', OF_EVERY_TOPIC.timestamps) as 'given' | 'arrival');
};
