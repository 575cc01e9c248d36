/**
 * Finds the test titles that are fragments. A title is a sentence about a promise when it has a verb and a subject before the
 * verb: "a lease that expires is offered again", not "is offered again". The rows of a `test.each` may take both from the title
 * of the `describe` around them.
 *
 * English cannot be parsed with a list of words. `VERBS` knows the verbs that our titles use, and a title with another verb is
 * reported until that verb is added. A word that is a noun too ("commits") counts as a verb unless a word of `BEFORE_A_NOUN`
 * comes before it; so some fragments pass ("a member that leaves"). No sentence is refused for longer than it takes to add its
 * verb to the list.
 */
import { lineAt, mask } from './mask.ts';

const FINITE = new Set(
  (
    'is are was were has have had does do did can cannot could may might must will would shall should ' +
    "isn't aren't doesn't don't can't won't gets got came went took gave left kept held found became began lost stayed"
  ).split(' '),
);
/** The stem of each verb, without its `s` or `es`. */
const VERBS = new Set(
  (
    'abandon abort accept accumulate acknowledge act add advance affect agree allow answer appear append apply arrive ask assert assign attach ' +
    'attempt await balance bear become begin behave belong bind block borrow bound branch bring build call cancel cap carry catch cause change ' +
    'check choose claim clean close collect come commit compact compare compile complete concern confirm connect consume contain contend continue ' +
    'convert copy correct cost count cover crash create cross cut declare decode deduplicate defer delay delete deliver denote depend describe ' +
    'detect die differ disappear discard distinguish disturb divide drain draw drop eat elapse emit encode end enqueue ensure equal enter escape evict ' +
    'exceed exclude exist exit expect expel expire explain extend fail fall feed fence fetch fill find finish fit flip flush fold follow forget ' +
    'fork format free gain generate get give go govern grant group grow guard hand handle hang happen harm hash heal hide hit hold hurt ignore ' +
    'import include increase index infer inherit insert interleave interrupt introduce invoke isolate join judge jump keep kill know lack land ' +
    'launch lead leak leave lend lengthen let lie lift limit link list listen live load lock log look lose lower make map mark mask match ' +
    'materialize mean measure meet mention merge miss mix move name need note notify obey observe obtain occupy offer omit open order outlive ' +
    'outrun overflow overlap overwrite own pair parse pass pause pay persist pick pin plan play point poll precede prefer preserve prevent print ' +
    'proceed process produce promise prove publish pull push put queue quit quote raise reach read rebuild receive reclaim recognize record ' +
    'recover redo reduce refer refuse reject rekey relate release rely remember remove rename renew reopen repair repeat replace replay report ' +
    'require reserve reset resolve respect rest restart restore result resume retry return reveal revoke rewrite roll round run satisfy save say ' +
    'scan seal search see seed select send separate serialize serve set settle share shift show shrink sign sit skip sleep slow sort spend spin ' +
    'split spread stall stamp stand start stay steer step stick stop store stream stretch subscribe succeed suffice suit sum supersede support ' +
    'survive suspend switch sync take teach tell terminate test throttle throw tolerate touch trace track trim trust try turn undo unsubscribe ' +
    'update use verify view violate visit wait wake walk want warn waste widen win work wrap write yield zero'
  ).split(' '),
);
const BEFORE_A_NOUN = new Set(
  'of a an the its their this that these those no two three four five both all many several most some each every other another in on at for by with without from between and or under over'.split(
    ' ',
  ),
);

export interface Fragment {
  readonly line: number;
  readonly title: string;
}
export interface Titles {
  readonly titles: number;
  readonly fragments: readonly Fragment[];
}

export const fragmentsIn = (source: string): Titles => {
  const calls = callsIn(source);
  const tests = calls.filter(({ name }) => name !== 'describe');
  const fragments = tests.flatMap(({ at, title, isTable }) => {
    const above = calls.filter((call) => call.name === 'describe' && call.at < at && at < call.end).map((call) => call.title);
    return isSentence(title, above.join(' '), isTable) ? [] : [{ line: lineAt(source, at), title }];
  });
  return { titles: tests.length, fragments };
};

/**
 * Whether `title` has a verb and a subject before it. A label before a colon ("order: …") does not count; a row of a table may
 * have both from the titles `above`.
 */
export const isSentence = (title: string, above = '', isTable = false): boolean =>
  verbAt(title.replace(/^[\p{L} ]{1,20}: /u, '')) > 0 || verbAt(title) > 0 || (isTable && verbAt(`${above} ${title}`) > 0);

const verbAt = (title: string): number => {
  const words = title.toLowerCase().match(/[%$\p{L}\d][\p{L}\d'.-]*/gu) ?? [];
  const isFinite = (i: number): boolean => FINITE.has(words[i] ?? '') || (isVerb(words[i] ?? '') && !BEFORE_A_NOUN.has(words[i - 1] ?? ''));
  // A title may start with a noun that looks like a verb: "names that are …", "commits of …", "fail drops …".
  const startsWithNoun = !FINITE.has(words[0] ?? '') && (isFinite(1) || /^(?:[\w-]+,|[\w-]+ (?:and|of|from|that|whose|with|without)\b)/.test(title));
  return words.findIndex((_, i) => isFinite(i) && !(i === 0 && startsWithNoun));
};
const isVerb = (word: string): boolean => [word, word.replace(/s$/, ''), word.replace(/es$/, ''), word.replace(/ies$/, 'y')].some((stem) => VERBS.has(stem));

interface Call {
  readonly name: string;
  readonly at: number;
  readonly end: number;
  readonly title: string;
  readonly isTable: boolean;
}

/** Every `test('…')`, `test.each(…)('…')`, `describe('…')` and `promise('…')`: the last is how a contract suite names a test. */
const callsIn = (source: string): readonly Call[] => {
  const code = mask(source);
  return [...code.matchAll(/(?<![.\w])(test|it|describe|promise)(?=[.(])/g)].flatMap(({ index, 1: name }) => {
    let at = index + name!.length;
    let isTable = false;
    for (;;) {
      const property = /^\.(\w+)/.exec(code.slice(at, at + 40));
      if (property !== null) {
        isTable ||= property[1] === 'each';
        at += property[0].length;
      } else if (code[at] === '<') {
        while (at < code.length && code[at] !== '(') at++;
      } else if (code[at] === '(') {
        const end = closing(code, at);
        const quote = /^\(\s*(['"`])/.exec(code.slice(at, at + 80));
        if (quote !== null) {
          const from = at + quote[0].length;
          const to = code.indexOf(quote[1]!, from);
          return [{ name: name!, at: index, end, title: source.slice(from, to).replace(/\\(.)/g, '$1'), isTable }];
        }
        if (end === -1) return [];
        at = end + 1;
      } else return [];
    }
  });
};

const closing = (code: string, from: number): number => {
  let depth = 0;
  for (let i = from; i < code.length; i++) {
    if ('([{'.includes(code[i]!)) depth++;
    else if (')]}'.includes(code[i]!) && --depth === 0) return i;
  }
  return -1;
};
