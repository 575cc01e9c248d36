/** `--timestamps given | arrival`: where the timestamps of a topic's records come from. */
import { OF_EVERY_TOPIC } from '@stoplog/core/tools';
import { valueIn } from '../text/topic-settings.ts';
import type { Arguments } from './arguments.ts';

export const timestampsIn = (given: Arguments): 'given' | 'arrival' | undefined => {
  const text = given.text('timestamps');
  // `valueIn` gives one of the setting's choices.
  return text === undefined ? undefined : (valueIn(text, 'timestamps', OF_EVERY_TOPIC.timestamps) as 'given' | 'arrival');
};
