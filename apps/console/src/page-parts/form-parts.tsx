import { Alert, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";

interface LoadedPageProps<Data> {
  readonly title: string;
  readonly help: string;
  /** Of what will be there, in px. */
  readonly height: number;
  readonly query: Pick<UseQueryResult<Data>, "data" | "error">;
  children(data: Data): ReactNode;
}

/** A page of one state of the server. */
export function LoadedPage<Data>({ title, help, height, query: { data, error }, children }: LoadedPageProps<Data>) {
  const texts = useTexts();
  return (
    <Stack>
      <div>
        <Title order={1} size="h2">
          {title}
        </Title>
        <Text c="dimmed" size="sm" maw={640}>
          {help}
        </Text>
      </div>
      {error !== null && <FailureDetails error={error} />}
      {data === undefined && error === null && <Skeleton height={height} aria-label={texts.common.loading} />}
      {data !== undefined && children(data)}
    </Stack>
  );
}

interface SaveFailureProps {
  readonly error: unknown;
  /** Whether the current state can help. */
  readonly canReload?: boolean;
  onReload(): void;
}

/** The refusal of a save. What was typed stays, over the current state too. */
export function SaveFailure({ error, canReload = true, onReload }: SaveFailureProps) {
  const texts = useTexts();
  if (error === null) return null;
  return (
    <Alert color="red" role="alert" title={texts.notices.saveFailed}>
      <FailureDetails error={error} />
      {canReload && (
        <Button mt="sm" size="xs" variant="default" onClick={onReload}>
          {texts.lists.loadCurrent}
        </Button>
      )}
    </Alert>
  );
}

interface SaveButtonsProps {
  readonly isPending: boolean;
  readonly isChanged: boolean;
  onDiscard(): void;
}

export function SaveButtons({ isPending, isChanged, onDiscard }: SaveButtonsProps) {
  const texts = useTexts();
  return (
    <Group>
      <Button type="submit" loading={isPending} disabled={!isChanged}>
        {texts.common.save}
      </Button>
      <Button variant="default" disabled={!isChanged} onClick={onDiscard}>
        {texts.common.discard}
      </Button>
    </Group>
  );
}
