import fc from "fast-check";
import { StoreTime } from "./store-time.ts";

const at = (iso: string) => Date.parse(iso);

describe("StoreTime", () => {
  test.each([
    ["UTC", "2026-11-21T06:26:05Z", "20261121T062605+00:00"],
    ["Europe/Berlin", "2026-07-01T22:30:00Z", "20260702T003000+02:00"],
    ["Europe/Berlin", "2026-12-31T23:00:00Z", "20270101T000000+01:00"],
    ["America/St_Johns", "2026-01-01T00:00:00Z", "20251231T203000-03:30"],
    ["Asia/Kathmandu", "2026-01-01T00:00:00Z", "20260101T054500+05:45"],
    // The two sides of a change to winter time.
    ["Europe/Berlin", "2026-10-25T00:59:59Z", "20261025T025959+02:00"],
    ["Europe/Berlin", "2026-10-25T01:00:00Z", "20261025T020000+01:00"],
  ])("%s writes %s as %s", (zone, iso, expected) => {
    expect(new StoreTime(zone).format(at(iso))).toBe(expected);
  });

  test("names the same second that it was given", () => {
    const times = [new StoreTime("UTC"), new StoreTime("Europe/Berlin"), new StoreTime("Australia/Lord_Howe")];
    const range = { min: at("1971-01-01T00:00:00Z"), max: at("2099-01-01T00:00:00Z") };
    fc.assert(
      fc.property(fc.integer(range), fc.constantFrom(...times), (time, storeTime) => {
        const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)([+-]\d\d:\d\d)$/.exec(storeTime.format(time));
        const [, year, month, day, hour, minute, second, offset] = parts ?? [];
        expect(at(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)).toBe(Math.floor(time / 1000) * 1000);
      }),
    );
  });

  test("refuses a zone that does not exist", () => {
    expect(() => new StoreTime("Mars/Olympus")).toThrow(RangeError);
  });
});
