import type { AdministeredCustomUserData } from "@sallyport/client/admin";
import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { DialogButton, DialogForm } from "../page-parts/dialog.tsx";
import { ListPage } from "../page-parts/list-page.tsx";
import { showSuccess } from "../notices/notices.tsx";
import { TextLink } from "../shell/links.tsx";
import { isPasswordRefusal, NewPasswordInput } from "./new-password-input.tsx";
import { UserPicker } from "./user-picker.tsx";
import { UserBadges } from "./users-page.tsx";

/** Users with credentials of their own, who act as a user of the database. */
export function CustomUsersPage() {
  const texts = useTexts();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const columns = [
    {
      title: texts.common.name,
      cell: ({ customUserId, name }: AdministeredCustomUserData) => (
        <TextLink to="/custom-users/$customUserId" params={{ customUserId }} fw={500}>
          {name}
        </TextLink>
      ),
    },
    {
      title: texts.customUsers.actsAs,
      cell: ({ user, userId }: AdministeredCustomUserData) => (
        <TextLink to="/users/$userId" params={{ userId }}>
          {user || userId}
        </TextLink>
      ),
    },
    { title: texts.users.email, cell: ({ email }: AdministeredCustomUserData) => email },
    {
      title: texts.common.status,
      cell: ({ enabled }: AdministeredCustomUserData) => <UserBadges user={{ enabled, rights: null }} />,
    },
  ];
  return (
    <ListPage
      title={texts.customUsers.title}
      help={texts.customUsers.help}
      queryKey={["custom-users"]}
      load={({ after, limit, signal }) =>
        connection.administer((admin) => admin.customUsers.list({ after, limit, signal }))
      }
      keyOf={({ customUserId }) => customUserId}
      columns={columns}
      empty={texts.customUsers.empty}
      actions={
        mayChange && (
          <DialogButton name={texts.customUsers.create}>
            {(close) => <NewCustomUserForm onClose={close} />}
          </DialogButton>
        )
      }
    />
  );
}

function NewCustomUserForm({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({ initialValues: { name: "", password: "", email: "", userId: null as string | null } });
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ email, userId, ...account }: typeof form.values) =>
      connection.administer((admin) =>
        admin.customUsers.create({ ...account, userId: userId ?? "", email: email === "" ? null : email }),
      ),
    onSuccess: async ({ customUserId, name }) => {
      await queries.invalidateQueries({ queryKey: ["custom-users"] });
      showSuccess(texts.users.created(name));
      await navigate({ to: "/custom-users/$customUserId", params: { customUserId } });
    },
  });
  return (
    <DialogForm
      submit={texts.common.create}
      isDisabled={form.values.userId === null}
      isPending={isPending}
      error={isPasswordRefusal(error) ? null : error}
      failure={texts.users.notCreated}
      onSubmit={form.onSubmit((values) => mutate(values))}
      onClose={onClose}
    >
      <TextInput
        label={texts.common.name}
        description={texts.users.nameHelp}
        required
        autoComplete="off"
        data-autofocus
        {...form.getInputProps("name")}
      />
      <NewPasswordInput of="customUsers" {...form.getInputProps("password")} error={error} />
      <UserPicker
        label={texts.customUsers.actsAs}
        isLabelled
        value={form.values.userId}
        onChange={(userId) => form.setFieldValue("userId", userId)}
      />
      <TextInput
        label={texts.users.email}
        description={texts.users.emailHelp}
        type="email"
        {...form.getInputProps("email")}
      />
    </DialogForm>
  );
}
