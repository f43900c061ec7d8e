import { Button, Center, Loader, Paper, Stack, Text, Title } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";

/** Before the server has answered for the first time. */
export function Starting() {
  const texts = useTexts();
  return (
    <Center mih="100vh">
      <Loader aria-label={texts.common.loading} />
    </Center>
  );
}

interface UnreachableProps {
  readonly error: unknown;
  onRetry(): void;
}

/** The server does not answer, or something else answers in its place. */
export function ServerUnreachable({ error, onRetry }: UnreachableProps) {
  const texts = useTexts();
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" maw={460}>
        <Stack>
          <IconPlugConnectedX size={36} aria-hidden />
          <Title order={1} size="h3">
            {texts.states.unreachable}
          </Title>
          <Text c="dimmed" size="sm">
            {texts.states.unreachableHelp}
          </Text>
          <FailureDetails error={error} />
          <Button onClick={onRetry}>{texts.common.retry}</Button>
        </Stack>
      </Paper>
    </Center>
  );
}
