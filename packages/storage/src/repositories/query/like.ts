/** One step of a pattern: a character, `_` for any character, `%` for any number of characters. */
type Step = string | typeof anyOne | typeof anyNumber;

const anyOne = Symbol("_");
const anyNumber = Symbol("%");

/** Compiles a pattern. Matching takes at most the product of both lengths. */
export function like(pattern: string): (text: string) => boolean {
  const steps = stepsOf(pattern);
  return (text) => matches([...text], steps);
}

function stepsOf(pattern: string): Step[] {
  const steps: Step[] = [];
  let escaped = false;
  for (const character of pattern) {
    if (escaped) steps.push(character);
    else if (character === "%") steps.push(anyNumber);
    else if (character === "_") steps.push(anyOne);
    else if (character !== "\\") steps.push(character);
    escaped = !escaped && character === "\\";
  }
  return steps;
}

function matches(characters: readonly string[], steps: readonly Step[]): boolean {
  let step = 0;
  let place = 0;
  // The last `%` and its current reach. An earlier `%` never needs to take more.
  let lastAny = -1;
  let reach = 0;
  while (place < characters.length) {
    const part = steps[step];
    if (part === anyNumber) {
      lastAny = step;
      reach = place;
      step += 1;
    } else if (step < steps.length && (part === anyOne || part === characters[place])) {
      step += 1;
      place += 1;
    } else if (lastAny >= 0) {
      reach += 1;
      place = reach;
      step = lastAny + 1;
    } else {
      return false;
    }
  }
  return steps.slice(step).every((rest) => rest === anyNumber);
}
