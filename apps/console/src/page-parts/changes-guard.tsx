import { Button, Group, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useMemo, useRef } from "react";
import { useTexts } from "../language/language.tsx";
import { Dialog } from "./dialog.tsx";

/** A form that has changes. */
interface ChangedForm {
  /** Whether a page leaves it. */
  isLeftBy(path: string): boolean;
  discard(): void;
}

/** The forms of this page that have changes. The last one, which is above the others, asks for all. */
const changed = new Set<ChangedForm>();

export const hasChanges = (): boolean => changed.size > 0;

const leftBy = (path: string): readonly ChangedForm[] => [...changed].filter((form) => form.isLeftBy(path));

/** A dialog with the form, that the person wants to close. */
export interface Closing {
  readonly isAsked: boolean;
  onStay(): void;
  onLeave(): void;
}

interface ChangesGuardProps {
  readonly isChanged: boolean;
  /** Path of pages that share the changes: no way from one to another asks. */
  readonly within?: string;
  /** Absent: no dialog has the form. */
  readonly closing?: Closing | undefined;
  /** Called before the form is left without its changes. */
  onDiscard?(): void;
}

/** Asks before a form with changes is left: by a link, Back, the end of the tab, or of its dialog. Forms that are left together ask once. */
export function ChangesGuard({ isChanged, within, closing, onDiscard }: ChangesGuardProps) {
  const texts = useTexts();
  const discard = useRef(onDiscard);
  useEffect(() => {
    discard.current = onDiscard;
  }, [onDiscard]);
  const form = useMemo(
    (): ChangedForm => ({ isLeftBy: (path) => !isBelow(path, within), discard: () => discard.current?.() }),
    [within],
  );
  useEffect(() => {
    if (!isChanged) return undefined;
    changed.add(form);
    return () => void changed.delete(form);
  }, [form, isChanged]);
  useEffect(() => {
    if (closing?.isAsked === true && !isChanged) closing.onLeave();
  }, [closing, isChanged]);
  const { status, next, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next: page }) =>
      current.pathname !== page.pathname && leftBy(page.pathname).at(-1) === form,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  const stay = () => {
    reset?.();
    closing?.onStay();
  };
  const leave = () => {
    if (next === undefined) return onDiscard?.();
    for (const each of leftBy(next.pathname)) each.discard();
    proceed?.();
  };
  const isOpen = status === "blocked" || (closing?.isAsked === true && isChanged);
  return (
    <Dialog isOpen={isOpen} title={texts.lists.unsaved} onClose={stay}>
      <Stack>
        <Text size="sm">{texts.lists.unsavedHelp}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={stay}>
            {texts.lists.stay}
          </Button>
          <Button color="red" onClick={leave}>
            {texts.common.discard}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

const isBelow = (path: string, parent: string | undefined): boolean =>
  parent !== undefined && (path === parent || path.startsWith(`${parent}/`));
