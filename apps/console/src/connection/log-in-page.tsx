import { Center, Group, Loader, Paper, Stack, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTexts } from "../language/language.tsx";
import { DatabaseMark } from "../shell/database-mark.tsx";
import { LanguageMenu, SchemeMenu } from "../shell/preferences.tsx";
import { SetUpCommand, SetUpForm } from "../set-up/set-up-form.tsx";
import { useConnection, useConnectionState, usePageConfig } from "./connection-context.tsx";
import { LogInForm } from "./log-in-form.tsx";

/** The log-in, or the set-up of a database without users. */
export function LogInPage() {
  const texts = useTexts();
  const config = usePageConfig();
  const { ticketKey, setUpTicket } = useConnectionState();
  const needsSetUp = useNeedsSetUp();
  const database = config.label ?? (config.alias || texts.app.name);
  // The first administrator exists, but the log-in after it has failed.
  const setsUp = needsSetUp === true && ticketKey === null;
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={420}>
        <Paper withBorder p="xl" radius="lg" shadow="sm">
          <Stack>
            <DatabaseMark />
            <Title order={1} size="h3">
              {setsUp ? texts.setUp.title(database) : texts.logIn.title(database)}
            </Title>
            {needsSetUp === null && setUpTicket !== null ? (
              <Loader aria-label={texts.common.loading} />
            ) : !setsUp ? (
              <LogInForm />
            ) : setUpTicket === null ? (
              <SetUpCommand />
            ) : (
              <SetUpForm ticket={setUpTicket} />
            )}
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

/** `null` until the server has answered. */
function useNeedsSetUp(): boolean | null {
  const connection = useConnection();
  const [isNeeded, setNeeded] = useState<boolean | null>(null);
  useEffect(() => {
    // The log-in says why the server does not answer.
    connection
      .needsSetUp()
      .then(setNeeded)
      .catch(() => setNeeded(false));
  }, [connection]);
  return isNeeded;
}
