const quarter = 15 * 60_000;

/**
 * Writes times as `yyyyMMddTHHmmss+hh:mm` in one time zone. Zones change their offset at full quarters of an hour
 * only, so the offset of each quarter is worked out once: asking the calendar for every object would cost more than
 * all the rest of its serialization.
 */
export class StoreTime {
  private readonly offsets = new Map<number, number>();
  private readonly calendar: Intl.DateTimeFormat;

  /** Throws a `RangeError` when the zone is unknown. */
  constructor(timeZone: string) {
    this.calendar = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  }

  /** `time` in milliseconds since 1970. */
  format(time: number): string {
    const offset = this.offsetAt(time);
    const local = new Date(time + offset * 60_000).toISOString();
    const date = local.slice(0, 4) + local.slice(5, 7) + local.slice(8, 10);
    const clock = local.slice(11, 13) + local.slice(14, 16) + local.slice(17, 19);
    const size = Math.abs(offset);
    return `${date}T${clock}${offset < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
  }

  /** Minutes east of Greenwich. */
  private offsetAt(time: number): number {
    const slot = Math.floor(time / quarter);
    let offset = this.offsets.get(slot);
    if (offset === undefined) {
      if (this.offsets.size >= 10_000) this.offsets.clear();
      offset = this.lookUp(slot * quarter);
      this.offsets.set(slot, offset);
    }
    return offset;
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
