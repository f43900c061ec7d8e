import { Paper, Stack, TextInput, Title } from "@mantine/core";
import { SallyportError } from "@sallyport/client";
import type { AdministeredUserData, UserChangeData } from "@sallyport/client/admin";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { DraftNotice } from "../data/form/draft-notice.tsx";
import { useDraft } from "../data/form/use-draft.ts";
import { useTexts } from "../language/language.tsx";
import { ChangesGuard } from "../page-parts/changes-guard.tsx";
import { SaveButtons, SaveFailure } from "../page-parts/form-parts.tsx";
import { showSuccess } from "../notices/notices.tsx";
import { SlowNotice } from "../notices/slow-notice.tsx";
import { GroupPicker } from "./group-picker.tsx";
import { RightsSelect } from "./rights-select.tsx";

/** Another write came first. */
const conflictCode = 713;

const valuesOf = ({ name, description, email, rights, groups }: AdministeredUserData) => ({
  name,
  description: description ?? "",
  email: email ?? "",
  rights,
  groups,
});

type Values = ReturnType<typeof valuesOf>;

/** The members of which the value is another one. */
function changesBetween(user: AdministeredUserData, { description, email, ...values }: Values): UserChangeData {
  const wished = {
    ...values,
    description: description === "" ? null : description,
    email: email === "" ? null : email,
  };
  const changed = Object.entries(wished).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(user[name as keyof typeof wished]),
  );
  const { rights, ...others }: Partial<typeof wished> = Object.fromEntries(changed);
  if (rights === undefined) return others;
  return { ...others, ...(rights === null ? { administrator: false } : { rights }) };
}

/** The fields of a user. A save sends those that were changed, and nothing if another write came first. */
export function UserForm({ user }: { readonly user: AdministeredUserData }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const { userId: ownId } = usePerson();
  // Fields that were typed into keep their text; the others show the state of the server.
  const [edits, setEdits] = useState<Partial<Values>>({});
  const values = { ...valuesOf(user), ...edits };
  const edit = (changed: Partial<Values>) => setEdits({ ...edits, ...changed });
  const changes = changesBetween(user, values);
  const isChanged = Object.keys(changes).length > 0;
  const drafted = useMemo(
    () => new Map(isChanged ? Object.entries(edits).map(([name, value]) => [name, { value }]) : []),
    [isChanged, edits],
  );
  const { former, decide } = useDraft(`~users:${user.userId}`, drafted);
  const {
    mutate,
    isPending,
    error,
    reset: forget,
  } = useMutation({
    mutationFn: () => connection.administer((admin) => admin.users.change(user.userId, changes, { ifMatch: user })),
    onSuccess: async (changed) => {
      queries.setQueryData(["users", user.userId], changed);
      setEdits({});
      await queries.invalidateQueries({ queryKey: ["users", "list"] });
      showSuccess(texts.users.saved(changed.name));
    },
  });
  const isConflict = error instanceof SallyportError && error.code === conflictCode;
  return (
    <Paper withBorder p="lg" bg="var(--console-surface)">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <DraftNotice
          former={former}
          storedOf={(name) => valuesOf(user)[name as keyof Values]}
          onRestore={(draft) => {
            setEdits(Object.fromEntries([...draft.edits].map(([name, { value }]) => [name, value])));
            decide();
          }}
          onDiscard={decide}
        />
        {!former && (
          <Stack maw={560}>
            <Title order={2} size="h4">
              {texts.users.profile}
            </Title>
            <TextInput
              label={texts.common.name}
              description={texts.users.nameHelp}
              required
              autoComplete="off"
              value={values.name}
              onChange={({ currentTarget }) => edit({ name: currentTarget.value })}
            />
            <TextInput
              label={texts.common.description}
              value={values.description}
              onChange={({ currentTarget }) => edit({ description: currentTarget.value })}
            />
            <TextInput
              label={texts.users.email}
              description={texts.users.emailHelp}
              type="email"
              value={values.email}
              onChange={({ currentTarget }) => edit({ email: currentTarget.value })}
            />
            <GroupPicker value={values.groups} onChange={(groups) => edit({ groups })} />
            <RightsSelect
              isDisabled={user.userId === ownId}
              value={values.rights}
              onChange={(rights) => edit({ rights })}
            />
            <SaveFailure
              error={error}
              canReload={isConflict}
              onReload={() => {
                forget();
                void queries.invalidateQueries({ queryKey: ["users", user.userId] });
              }}
            />
            <SlowNotice isWaiting={isPending} />
            <SaveButtons isPending={isPending} isChanged={isChanged} onDiscard={() => setEdits({})} />
          </Stack>
        )}
      </form>
      <ChangesGuard isChanged={isChanged} onDiscard={() => setEdits({})} />
    </Paper>
  );
}
