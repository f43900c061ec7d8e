import { Button, Group, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { countDrafts } from "../data/form/drafts.ts";
import { useTexts } from "../language/language.tsx";
import { hasChanges } from "../page-parts/changes-guard.tsx";
import { Dialog } from "../page-parts/dialog.tsx";

/** A log-out that asks first if it erases changes: of this page, or drafts of other ones. */
export function useLogOut(): { readonly logOut: () => void; readonly question: ReactNode } {
  const texts = useTexts();
  const connection = useConnection();
  const person = usePerson();
  const [isAsked, setAsked] = useState(false);
  const end = () => void connection.logOut();
  const logOut = async () => {
    // A browser can forbid the storage.
    const drafts = await countDrafts(person).catch(() => 0);
    if (drafts > 0 || hasChanges()) setAsked(true);
    else end();
  };
  const stay = () => setAsked(false);
  const question = (
    <Dialog isOpen={isAsked} title={texts.lists.unsaved} onClose={stay}>
      <Stack>
        <Text size="sm">{texts.shell.logOutHelp}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={stay}>
            {texts.lists.stay}
          </Button>
          <Button color="red" onClick={end}>
            {texts.shell.logOutAnyway}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
  return { logOut: () => void logOut(), question };
}
