import { Text, Tooltip } from "@mantine/core";
import { useLanguage } from "./language.tsx";

/** An instant in the zone of the browser. The zone, and the instant in UTC, show on hover and for a screen reader. */
export function Time({ value }: { readonly value: string | null }) {
  const { language, texts } = useLanguage();
  if (value === null) return <Text size="sm">{texts.common.never}</Text>;
  const instant = new Date(value);
  const short = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(instant);
  const zone = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" }).format(instant);
  return (
    <Tooltip label={`${zone} · ${instant.toISOString()}`}>
      <Text size="sm" component="time" dateTime={value} tabIndex={-1}>
        {short}
      </Text>
    </Tooltip>
  );
}
