const minute = 60_000;
const day = 24 * 60 * minute;

/** By time zone. A calendar takes half a millisecond to make, and many databases have the same zone. */
const made = new Map<string, StoreTime>();

/** Maximum cached minutes and days. The cache is cleared when it is full. */
const cacheSize = 10_000;

interface Minute {
  /** `yyyyMMddTHHmm`. */
  readonly text: string;
  /** `+hh:mm`. */
  readonly offset: string;
}

/**
 * Formats times as `yyyyMMddTHHmmss+hh:mm` in one time zone. All parts except the seconds are cached per minute,
 * because a calendar look-up per object would cost more than the rest of its serialization. Zones change their offset
 * only at full minutes.
 */
export class StoreTime {
  private readonly minutes = new Map<number, Minute>();
  /** Offsets in minutes by day. `null` for a day on which the zone changes its offset. */
  private readonly days = new Map<number, number | null>();
  private readonly calendar: Intl.DateTimeFormat;

  /** Throws a `RangeError` for an unknown zone. */
  constructor(timeZone: string) {
    this.calendar = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  }

  /** That of all databases with this time zone. Throws a `RangeError` for an unknown one. */
  static of(timeZone: string): StoreTime {
    const storeTime = made.get(timeZone) ?? new StoreTime(timeZone);
    made.set(timeZone, storeTime);
    return storeTime;
  }

  /** `time` in milliseconds since 1970. */
  format(time: number): string {
    const number = Math.floor(time / minute);
    const { text, offset } = this.minutes.get(number) ?? this.compute(number);
    return `${text}${pad(Math.floor(time / 1000) - number * 60)}${offset}`;
  }

  private compute(number: number): Minute {
    const offset = this.offsetAt(number * minute);
    const local = new Date(number * minute + offset * minute).toISOString();
    const text = `${local.slice(0, 4)}${local.slice(5, 7)}${local.slice(8, 10)}T${local.slice(11, 13)}${local.slice(14, 16)}`;
    const size = Math.abs(offset);
    const entry = { text, offset: `${offset < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}` };
    if (this.minutes.size >= cacheSize) this.minutes.clear();
    this.minutes.set(number, entry);
    return entry;
  }

  /** Returns minutes east of Greenwich. */
  private offsetAt(time: number): number {
    const number = Math.floor(time / day);
    let offset = this.days.get(number);
    if (offset === undefined) {
      const [first, next] = [this.lookUp(number * day), this.lookUp((number + 1) * day)];
      offset = first === next ? first : null;
      if (this.days.size >= cacheSize) this.days.clear();
      this.days.set(number, offset);
    }
    return offset ?? this.lookUp(time);
  }

  private lookUp(time: number): number {
    const name = this.calendar.formatToParts(time).find((part) => part.type === "timeZoneName")?.value ?? "GMT";
    const match = /^GMT([+-])(\d{2}):(\d{2})/.exec(name);
    if (match === null) return 0;
    const minutes = Number(match[2]) * 60 + Number(match[3]);
    return match[1] === "-" ? -minutes : minutes;
  }
}

function pad(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}
