import { Button, Group, Paper, Skeleton, Stack, Switch, TextInput, Title } from "@mantine/core";
import type { AdministeredCustomUserData, CustomUserChangeData } from "@sallyport/client/admin";
import { IconPassword, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { ChangesGuard } from "../page-parts/changes-guard.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { SaveButtons, SaveFailure } from "../page-parts/form-parts.tsx";
import { Facts } from "../page-parts/facts.tsx";
import { FailureDetails, showSuccess } from "../notices/notices.tsx";
import { PasswordDialog } from "./password-dialog.tsx";
import { SecondFactors } from "./second-factors.tsx";
import { UserPicker } from "./user-picker.tsx";

export function CustomUserPage() {
  const { customUserId = "" } = useParams({ strict: false });
  const connection = useConnection();
  const texts = useTexts();
  const { data, error } = useQuery({
    queryKey: ["custom-users", customUserId],
    queryFn: ({ signal }) => connection.administer((admin) => admin.customUsers.get(customUserId, { signal })),
  });
  if (data !== undefined) return <CustomUser key={customUserId} account={data} />;
  return error === null ? (
    <Skeleton height={220} aria-label={texts.common.loading} />
  ) : (
    <FailureDetails error={error} />
  );
}

function CustomUser({ account }: { readonly account: AdministeredCustomUserData }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mayChange } = usePerson();
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const [setsPassword, setSetsPassword] = useState(false);
  const { customUserId, name } = account;
  const removing: ConfirmedAct = {
    title: texts.users.delete(name),
    consequences: texts.customUsers.deleteHelp,
    confirm: texts.common.delete,
    typed: name,
    act: async () => {
      await connection.administer((admin) => admin.customUsers.remove(customUserId));
      await navigate({ to: "/custom-users" });
      queries.removeQueries({ queryKey: ["custom-users", customUserId] });
      await queries.invalidateQueries({ queryKey: ["custom-users"] });
      showSuccess(texts.users.deleted(name));
    },
  };
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1} size="h2">
          {name}
        </Title>
        {mayChange && (
          <Group>
            <Button variant="default" leftSection={<IconPassword size={16} />} onClick={() => setSetsPassword(true)}>
              {texts.users.setPassword}
            </Button>
            <Button
              variant="light"
              color="red"
              leftSection={<IconTrash size={16} />}
              onClick={() => setConfirmed(removing)}
            >
              {texts.common.delete}
            </Button>
          </Group>
        )}
      </Group>
      {mayChange ? <CustomUserForm account={account} /> : <CustomUserFacts account={account} />}
      <SecondFactors of="customUsers" accountId={customUserId} />
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
      <PasswordDialog
        of="customUsers"
        accountId={customUserId}
        name={name}
        isOpen={setsPassword}
        onClose={() => setSetsPassword(false)}
      />
    </Stack>
  );
}

function CustomUserFacts({
  account: { user, userId, email, enabled },
}: {
  readonly account: AdministeredCustomUserData;
}) {
  const texts = useTexts();
  return (
    <Facts
      facts={[
        [texts.customUsers.actsAs, user || userId],
        [texts.users.email, email],
        [texts.common.status, enabled ? texts.users.enabled : texts.users.disabled],
      ]}
    />
  );
}

/** The fields of a custom user. A save sends those that were changed. */
function CustomUserForm({ account }: { readonly account: AdministeredCustomUserData }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const [edits, setEdits] = useState<CustomUserChangeData>({});
  const { customUserId, name, email, enabled, userId } = { ...account, ...edits };
  const isChanged = Object.keys(edits).length > 0;
  const edit = <Member extends keyof CustomUserChangeData>(member: Member, value: CustomUserChangeData[Member]) => {
    const { [member]: _former, ...others } = edits;
    setEdits(value === account[member] ? others : { ...others, [member]: value });
  };
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      connection.administer((admin) => admin.customUsers.change(customUserId, edits, { ifMatch: account })),
    onSuccess: async (changed) => {
      queries.setQueryData(["custom-users", customUserId], changed);
      setEdits({});
      await queries.invalidateQueries({ queryKey: ["custom-users", "list"] });
      showSuccess(texts.users.saved(name));
    },
  });
  return (
    <Paper withBorder p="lg" bg="var(--console-surface)">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <Stack maw={560}>
          <UserPicker
            label={texts.customUsers.actsAs}
            isLabelled
            value={userId ?? null}
            onChange={(chosen) => edit("userId", chosen ?? account.userId)}
          />
          <TextInput
            label={texts.users.email}
            description={texts.users.emailHelp}
            type="email"
            value={email ?? ""}
            onChange={({ currentTarget }) => edit("email", currentTarget.value === "" ? null : currentTarget.value)}
          />
          <Switch
            label={texts.users.enabled}
            description={texts.customUsers.enabledHelp}
            checked={enabled ?? false}
            onChange={({ currentTarget }) => edit("enabled", currentTarget.checked)}
          />
          <SaveFailure
            error={error}
            onReload={() => void queries.invalidateQueries({ queryKey: ["custom-users", customUserId] })}
          />
          <SaveButtons isPending={isPending} isChanged={isChanged} onDiscard={() => setEdits({})} />
        </Stack>
      </form>
      <ChangesGuard isChanged={isChanged} />
    </Paper>
  );
}
