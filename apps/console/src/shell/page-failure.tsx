import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";

/** A page that cannot be shown, as a file of it is missing or it failed. The rest of the console stays. */
export function PageFailure({ error }: { readonly error: unknown }) {
  const texts = useTexts();
  const router = useRouter();
  return (
    <Stack role="alert" align="flex-start">
      <Title order={1} size="h2">
        {texts.states.pageFailed}
      </Title>
      <Text size="sm">{texts.states.pageFailedHelp}</Text>
      <FailureDetails error={error} />
      <Group>
        <Button onClick={() => void router.invalidate()}>{texts.common.retry}</Button>
        <Button variant="default" onClick={() => location.reload()}>
          {texts.states.reload}
        </Button>
      </Group>
    </Stack>
  );
}
