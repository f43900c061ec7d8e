/**
 * JSON text with exactly these values. Throws a `TypeError` for a value that JSON would change: `NaN`, an infinite
 * number, -0, a function, a symbol, a `BigInt`, an array with holes or `undefined`, and every object other than an array
 * or a plain one. `undefined` as a member stands for an absent one, and a valid `Date` becomes its ISO text.
 */
export function jsonText(value: unknown): string {
  return exactText(value, (member, holder) =>
    member === undefined ? !Array.isArray(holder) : member instanceof Date && !Number.isNaN(member.getTime()),
  );
}

/** A copy of fields. As `jsonText`, but it also refuses `undefined` and a `Date`, which would come back as a text. */
export function copyOfFields(fields: unknown): Readonly<Record<string, unknown>> {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields))
    throw new TypeError("Fields must be an object with values by name.");
  return JSON.parse(exactText(fields, () => false)) as Readonly<Record<string, unknown>>;
}

function exactText(value: unknown, isAccepted: (member: unknown, holder: object) => boolean): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, converted: unknown) {
    // `converted` is already the result of `toJSON`.
    const member = this[name];
    const fault = faultOf(member);
    if (fault !== undefined && !isAccepted(member, this)) {
      const subject = name === "" ? "The value" : `The value of ${JSON.stringify(name)}`;
      throw new TypeError(`${subject} is ${fault}. JSON cannot hold it.`);
    }
    return converted;
  });
}

/** The part of a value that JSON would change. */
function faultOf(value: unknown): string | undefined {
  switch (typeof value) {
    case "number":
      if (Object.is(value, -0)) return "-0";
      return Number.isFinite(value) ? undefined : String(value);
    case "undefined":
    case "function":
    case "symbol":
    case "bigint":
      return `of type ${typeof value}`;
    case "object":
      return value === null ? undefined : faultOfObject(value);
    default:
      return undefined;
  }
}

function faultOfObject(value: object): string | undefined {
  if (Array.isArray(value)) {
    const isWhole = Object.keys(value).length === value.length;
    return isWhole ? undefined : "an array with holes or names";
  }
  const prototype = Object.getPrototypeOf(value) as object | null;
  // Objects of another window have another `Object.prototype`.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    return `a ${value.constructor?.name ?? "object"}`;
  if (Object.getOwnPropertySymbols(value).length > 0) return "an object with symbols as names";
  return "toJSON" in value && typeof value.toJSON === "function" ? "an object with a method toJSON" : undefined;
}
