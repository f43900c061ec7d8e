import { Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";

interface FactsProps {
  readonly title?: string;
  /** Names with their values. A text comes from the server. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

/** What a person reads who may not change it. */
export function Facts({ title, facts }: FactsProps) {
  const texts = useTexts();
  const shown = (value: ReactNode) => (typeof value === "string" ? visibleText(value) : value) || texts.common.none;
  return (
    <Paper withBorder p="lg" bg="var(--console-surface)">
      <Stack gap="sm">
        {title !== undefined && (
          <Title order={2} size="h4">
            {title}
          </Title>
        )}
        <Stack component="dl" gap="sm" m={0}>
          {facts.map(([name, value]) => (
            <div key={name}>
              <Text component="dt" size="sm" c="dimmed">
                {name}
              </Text>
              <Text component="dd" m={0}>
                {shown(value)}
              </Text>
            </div>
          ))}
        </Stack>
      </Stack>
    </Paper>
  );
}
