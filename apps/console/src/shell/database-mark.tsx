import { ColorSwatch, Group, Text } from "@mantine/core";
import { usePageConfig } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";

/** The color of the database as a value of CSS: a name is one of the theme. */
export function databaseColor(color: string | null): string {
  if (color === null) return "var(--mantine-color-indigo-7)";
  return color.startsWith("#") ? color : `var(--mantine-color-${color}-7)`;
}

/** Name and color of the database, so that no database is taken for another one. */
export function DatabaseMark() {
  const texts = useTexts();
  const { label, alias, color } = usePageConfig();
  const name = label ?? alias;
  return (
    <Group gap="xs" wrap="nowrap" miw={0}>
      <ColorSwatch color={databaseColor(color)} size={16} flex="none" radius="sm" aria-hidden />
      <Text fw={700} size="sm" data-name="application">
        {texts.app.name}
      </Text>
      {name !== "" && (
        <Text size="sm" c="dimmed" truncate>
          {name}
        </Text>
      )}
    </Group>
  );
}
