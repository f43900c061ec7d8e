import { Alert, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import type { ModelStructure } from "@sallyport/client";
import { Outlet, useLocation } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useModel, usePerson } from "../connection/connection-context.tsx";
import { localTime } from "../data/grid/cell.tsx";
import { useDraft } from "../data/form/use-draft.ts";
import { useLanguage, useTexts } from "../language/language.tsx";
import { ChangesGuard } from "../page-parts/changes-guard.tsx";
import { FailureDetails } from "../notices/notices.tsx";
import { ButtonLink } from "../shell/links.tsx";
import { NotFound } from "../shell/not-found.tsx";
import { classStates, differencesOf, type ModelEdits, noEdit } from "./model-edits.ts";
import { type ModelEditing, ModelEditingContext } from "./model-editing.ts";
import { ReviewDialog } from "./review-dialog.tsx";
import classes from "./model.module.css";

const noEdits: ModelEdits = new Map();

/** The frame of the pages of the model. Edits are gathered on all of them, and applied together after a review. */
export function ModelPages() {
  const texts = useTexts();
  const { mayChange } = usePerson();
  const { data, error } = useModel();
  if (!mayChange) return <NotFound />;
  if (data !== undefined) return <Editing structure={data} />;
  return error === null ? (
    <Skeleton height={220} aria-label={texts.common.loading} />
  ) : (
    <FailureDetails error={error} />
  );
}

function Editing({ structure }: { readonly structure: ModelStructure }) {
  const texts = useTexts();
  const [edits, setEdits] = useState(noEdits);
  const [isReviewing, setReviewing] = useState(false);
  const states = useMemo(() => classStates(structure, edits), [structure, edits]);
  const changed = useMemo(() => [...states.values()].filter((state) => differencesOf(state).length > 0), [states]);
  const count = useMemo(() => changed.reduce((sum, state) => sum + differencesOf(state).length, 0), [changed]);
  const isChanged = count > 0;
  const { pathname } = useLocation();
  // A link of the review leads out of it.
  useEffect(() => setReviewing(false), [pathname]);
  const { former, decide } = useDraft("model", isChanged ? edits : noEdits);
  const editing = useMemo(
    (): ModelEditing => ({
      structure,
      states,
      edit: (className, change) =>
        setEdits((current) => new Map(current).set(className, change(current.get(className) ?? noEdit))),
      replace: (added) => setEdits((current) => new Map([...current, ...added])),
      restore: (names) => setEdits((current) => new Map([...current].filter(([name]) => !names.includes(name)))),
      review: () => setReviewing(true),
    }),
    [structure, states],
  );
  return (
    <ModelEditingContext value={editing}>
      <ChangesGuard isChanged={isChanged} within="/model" onDiscard={() => setEdits(noEdits)} />
      <Stack>
        <Group component="nav" gap="xs" aria-label={texts.model.views}>
          <ViewLink to="/model" label={texts.model.classes} />
          <ViewLink to="/model/rights" label={texts.rights.title} />
          <ViewLink to="/model/diagram" label={texts.diagram.title} />
        </Group>
        {former && (
          <FormerDraft
            at={former.at}
            names={[...former.edits.keys()]}
            onRestore={() => {
              editing.replace(former.edits);
              decide();
            }}
            onDiscard={decide}
          />
        )}
        <Outlet />
        {isChanged && (
          <Group className={classes["bar"] ?? ""} justify="flex-end">
            <Text size="sm" mr="auto" role="status">
              {texts.objects.changes(count)}
            </Text>
            <Button variant="default" onClick={() => setEdits(noEdits)}>
              {texts.common.discard}
            </Button>
            <Button onClick={() => setReviewing(true)}>{texts.model.review}</Button>
          </Group>
        )}
      </Stack>
      <ReviewDialog changed={changed} isOpen={isReviewing && isChanged} onClose={() => setReviewing(false)} />
    </ModelEditingContext>
  );
}

function ViewLink({
  to,
  label,
}: {
  readonly to: "/model" | "/model/rights" | "/model/diagram";
  readonly label: string;
}) {
  return (
    <ButtonLink
      to={to}
      size="compact-sm"
      variant="subtle"
      activeOptions={{ exact: true, includeSearch: false }}
      activeProps={{ variant: "light" }}
    >
      {label}
    </ButtonLink>
  );
}

interface FormerDraftProps {
  readonly at: number;
  /** Of the classes with edits. */
  readonly names: readonly string[];
  onRestore(): void;
  onDiscard(): void;
}

function FormerDraft({ at, names, onRestore, onDiscard }: FormerDraftProps) {
  const { texts, language } = useLanguage();
  return (
    <Alert title={texts.objects.draft(localTime(new Date(at).toISOString(), language))}>
      <Text size="sm">{names.join(", ")}</Text>
      <Group mt="sm">
        <Button onClick={onRestore}>{texts.objects.restoreDraft}</Button>
        <Button variant="default" onClick={onDiscard}>
          {texts.objects.discardDraft}
        </Button>
      </Group>
    </Alert>
  );
}
