import { Button, Group, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTexts } from "../language/language.tsx";
import { Dialog } from "./dialog.tsx";

/** The forms of this page that have changes. */
const changed = new Set<object>();

export const hasChanges = (): boolean => changed.size > 0;

interface ChangesGuardProps {
  readonly isChanged: boolean;
  /** Path of pages that share the changes: no way from one to another asks. */
  readonly within?: string;
  /** Called before the form is left without its changes. */
  onDiscard?(): void;
}

/** Asks before a form with changes is left: by a link, Back, or the end of the tab. */
export function ChangesGuard({ isChanged, within, onDiscard }: ChangesGuardProps) {
  const texts = useTexts();
  useEffect(() => {
    if (!isChanged) return undefined;
    const form = {};
    changed.add(form);
    return () => void changed.delete(form);
  }, [isChanged]);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isChanged && current.pathname !== next.pathname && !isBelow(next.pathname, within),
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  return (
    <Dialog isOpen={status === "blocked"} title={texts.lists.unsaved} onClose={() => reset?.()}>
      <Stack>
        <Text size="sm">{texts.lists.unsavedHelp}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => reset?.()}>
            {texts.lists.stay}
          </Button>
          <Button
            color="red"
            onClick={() => {
              onDiscard?.();
              proceed?.();
            }}
          >
            {texts.common.discard}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

const isBelow = (path: string, parent: string | undefined): boolean =>
  parent !== undefined && (path === parent || path.startsWith(`${parent}/`));
