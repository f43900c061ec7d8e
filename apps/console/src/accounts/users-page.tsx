import { Badge, Group } from "@mantine/core";
import type { AdministeredUserData } from "@sallyport/client/admin";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { ListPage } from "../page-parts/list-page.tsx";
import { TextLink } from "../shell/links.tsx";
import { NewUser } from "./new-user.tsx";

export function UsersPage() {
  const texts = useTexts();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const columns = [
    {
      title: texts.common.name,
      cell: ({ userId, name }: AdministeredUserData) => (
        <TextLink to="/users/$userId" params={{ userId }} fw={500}>
          {name}
        </TextLink>
      ),
    },
    { title: texts.common.description, cell: ({ description }: AdministeredUserData) => description },
    { title: texts.users.email, cell: ({ email }: AdministeredUserData) => email },
    { title: texts.users.groups, cell: ({ groups }: AdministeredUserData) => texts.users.groupCount(groups.length) },
    { title: texts.common.status, cell: (user: AdministeredUserData) => <UserBadges user={user} /> },
  ];
  return (
    <ListPage
      title={texts.users.title}
      help={texts.users.help}
      queryKey={["users"]}
      load={(request) => connection.administer((admin) => admin.users.list(request))}
      keyOf={({ userId }) => userId}
      columns={columns}
      empty={texts.users.empty}
      searchLabel={texts.users.search}
      actions={mayChange && <NewUser />}
    />
  );
}

/** Whether the account works, and with which rights. */
export function UserBadges({ user }: { readonly user: Pick<AdministeredUserData, "enabled" | "rights"> }) {
  const texts = useTexts();
  return (
    <Group gap={6} wrap="nowrap">
      <Badge variant="light" color={user.enabled ? "green" : "gray"} tt="none">
        {user.enabled ? texts.users.enabled : texts.users.disabled}
      </Badge>
      {user.rights !== null && (
        <Badge variant="light" color="indigo" tt="none">
          {texts.administratorRights.names[user.rights]}
        </Badge>
      )}
    </Group>
  );
}
