/** Things to take along: a text, or a request as a line for the shell. */
import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { ApiRequest } from '../api/client.ts'
import { curlOf } from '../api/curl.ts'
import { useUser } from './clinic-context.tsx'
import { Icon } from './icon.tsx'

/** @param said afterwards */
export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notifications.show({ message: said, autoClose: 2500 })
  } catch {
    notifications.show({ color: 'red', message: 'The browser does not let this page use the clipboard.' })
  }
}

interface CopyProps {
  readonly text: string
  readonly label: string
  readonly said: string
}

const Copying = ({ label, onClick }: { readonly label: string; readonly onClick: () => void }) => (
  <Button size="xs" variant="default" leftSection={<Icon name="copy" size={14} />} onClick={onClick}>
    {label}
  </Button>
)

export const CopyButton = ({ text, label, said }: CopyProps) => (
  <Copying label={label} onClick={() => copyText(text, said)} />
)

/** A text with a button that copies it. */
export const Copied = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <Group gap="sm">
    <Text className="mono" lineClamp={2} miw={0}>
      {text}
    </Text>
    <CopyButton text={text} label={`Copy the ${what}`} said={`The ${what} is copied.`} />
  </Group>
)

/** The address of the page, which shows a colleague of the clinic the same. */
export const CopyLink = () => (
  <Copying
    label="Copy link"
    onClick={() => copyText(location.href, 'The link is copied; it opens for users of this clinic.')}
  />
)

/** The request with the token of the session, so that it runs as it is. */
export function CopyAsCurl({ request }: { readonly request: ApiRequest }) {
  const { token } = useUser()
  const text = curlOf(request, token)
  return <CopyButton text={text} label="Copy as curl" said="The curl is copied, with your token in it." />
}
