import { Center, Group, Paper, Stack, Title } from "@mantine/core";
import { useTexts } from "../language/language.tsx";
import { DatabaseMark } from "../shell/database-mark.tsx";
import { LanguageMenu, SchemeMenu } from "../shell/preferences.tsx";
import { usePageConfig } from "./connection-context.tsx";
import { LogInForm } from "./log-in-form.tsx";

export function LogInPage() {
  const texts = useTexts();
  const { label, alias } = usePageConfig();
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={420}>
        <Paper withBorder p="xl" radius="lg" shadow="sm">
          <Stack>
            <DatabaseMark />
            <Title order={1} size="h3">
              {texts.logIn.title(label ?? (alias || texts.app.name))}
            </Title>
            <LogInForm />
          </Stack>
        </Paper>
        <Group justify="center">
          <LanguageMenu />
          <SchemeMenu />
        </Group>
      </Stack>
    </Center>
  );
}
