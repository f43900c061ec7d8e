import { Button, Group, Menu, Skeleton, Stack, Title } from "@mantine/core";
import type { AdministeredUserData } from "@sallyport/client/admin";
import {
  IconChevronDown,
  IconLock,
  IconLockOpen,
  IconPassword,
  IconPlugConnectedX,
  IconTrash,
} from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { Facts } from "../page-parts/facts.tsx";
import { FailureDetails, showFailure, showSuccess } from "../notices/notices.tsx";
import { SessionList } from "../sessions/session-list.tsx";
import { useGroupNames } from "./group-picker.tsx";
import { PasswordDialog } from "./password-dialog.tsx";
import { SecondFactors } from "./second-factors.tsx";
import { UserForm } from "./user-form.tsx";
import { UserBadges } from "./users-page.tsx";

export function UserPage() {
  const { userId = "" } = useParams({ strict: false });
  const connection = useConnection();
  const texts = useTexts();
  const { data, error } = useQuery({
    queryKey: ["users", userId],
    queryFn: ({ signal }) => connection.administer((admin) => admin.users.get(userId, { signal })),
  });
  if (data !== undefined) return <User key={userId} user={data} />;
  return error === null ? (
    <Skeleton height={220} role="status" aria-label={texts.common.loading} />
  ) : (
    <FailureDetails error={error} />
  );
}

function User({ user }: { readonly user: AdministeredUserData }) {
  const texts = useTexts();
  const { mayChange } = usePerson();
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Group>
          <Title order={1} size="h2">
            {visibleText(user.name)}
          </Title>
          <UserBadges user={user} />
        </Group>
        {mayChange && <UserActions user={user} />}
      </Group>
      {mayChange ? <UserForm user={user} /> : <UserFacts user={user} />}
      <SecondFactors of="users" accountId={user.userId} />
      <Stack gap="xs">
        <Title order={2} size="h4">
          {texts.sessions.title}
        </Title>
        <SessionList user={user.userId} />
      </Stack>
    </Stack>
  );
}

function UserFacts({ user: { name, description, email, groups, rights } }: { readonly user: AdministeredUserData }) {
  const texts = useTexts();
  const names = useGroupNames(groups);
  return (
    <Facts
      title={texts.users.profile}
      facts={[
        [texts.common.name, name],
        [texts.common.description, description],
        [texts.users.email, email],
        [texts.users.groups, groups.map((groupId) => names.get(groupId) ?? groupId).join(", ")],
        [texts.administratorRights.title, texts.administratorRights.names[rights ?? "none"]],
      ]}
    />
  );
}

/** What can be done with an account, beside changing its fields. */
function UserActions({ user }: { readonly user: AdministeredUserData }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { userId: ownId } = usePerson();
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const [setsPassword, setSetsPassword] = useState(false);
  const { userId, name, enabled } = user;
  const isOwn = userId === ownId;
  const renew = () => Promise.all(["users", "sessions"].map((key) => queries.invalidateQueries({ queryKey: [key] })));

  const setEnabled = async () => {
    await connection.administer((admin) => admin.users.change(userId, { enabled: !enabled }, { ifMatch: user }));
    await renew();
    showSuccess(enabled ? texts.users.isDisabled(name) : texts.users.isEnabled(name));
  };
  const disabling: ConfirmedAct = {
    title: texts.users.disable(name),
    consequences: texts.users.disableHelp,
    confirm: texts.users.disableConfirm,
    act: setEnabled,
  };
  const ending: ConfirmedAct = {
    title: texts.sessions.endAll(name),
    consequences: texts.sessions.endAllHelp,
    confirm: texts.sessions.endAllConfirm,
    act: async () => {
      const ended = await connection.administer((admin) => admin.sessions.endOfUser(userId));
      await renew();
      showSuccess(texts.sessions.ended(ended));
    },
  };
  const deleting: ConfirmedAct = {
    title: texts.users.delete(name),
    consequences: texts.users.deleteHelp,
    confirm: texts.common.delete,
    typed: name,
    act: async () => {
      await connection.work((data) => data.deleteObject(userId));
      await navigate({ to: "/users" });
      queries.removeQueries({ queryKey: ["users", userId] });
      await renew();
      showSuccess(texts.users.deleted(name));
    },
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} />}>
            {texts.users.actions}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPassword size={16} />} onClick={() => setSetsPassword(true)}>
            {texts.users.setPassword}
          </Menu.Item>
          <Menu.Item leftSection={<IconPlugConnectedX size={16} />} onClick={() => setConfirmed(ending)}>
            {texts.sessions.endAllConfirm}
          </Menu.Item>
          {enabled ? (
            <Menu.Item leftSection={<IconLock size={16} />} disabled={isOwn} onClick={() => setConfirmed(disabling)}>
              {texts.users.disableConfirm}
            </Menu.Item>
          ) : (
            <Menu.Item
              leftSection={<IconLockOpen size={16} />}
              onClick={() => void setEnabled().catch((error) => showFailure(texts.notices.saveFailed, error))}
            >
              {texts.users.enable}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} />}
            disabled={isOwn}
            onClick={() => setConfirmed(deleting)}
          >
            {texts.common.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
      <PasswordDialog
        of="users"
        accountId={userId}
        name={name}
        isOpen={setsPassword}
        onClose={() => setSetsPassword(false)}
      />
    </>
  );
}
