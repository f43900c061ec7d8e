import { Code, Paper, Stack, Text, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useTexts } from "../language/language.tsx";
import { Explanation } from "./explanation.tsx";

/** Why the server refused the request with the id in the address. */
export function RefusalPage() {
  const texts = useTexts();
  const { requestId = "" } = useParams({ strict: false });
  return (
    <Stack>
      <div>
        <Title order={1} size="h2">
          {texts.refusals.title}
        </Title>
        <Text c="dimmed" size="sm">
          {texts.notices.request} <Code>{requestId}</Code>
        </Text>
      </div>
      <Paper withBorder p="lg">
        <Explanation key={requestId} requestId={requestId} />
      </Paper>
    </Stack>
  );
}
