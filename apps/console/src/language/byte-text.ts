import { useLanguage } from "./language.tsx";

const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
const step = 1_000;

/** Writes numbers of bytes in the language of the page, with a unit that leaves at most three digits before the point. */
export function useByteText(): (bytes: number) => string {
  const { language } = useLanguage();
  return (bytes) => {
    let value = bytes;
    let unit = 0;
    while (value >= step && unit < units.length - 1) {
      value /= step;
      unit += 1;
    }
    const options = {
      style: "unit",
      unit: units[unit] ?? "byte",
      unitDisplay: "narrow",
      maximumFractionDigits: 1,
    } as const;
    return new Intl.NumberFormat(language, options).format(value);
  };
}
