/** One of the two messages of an exchange: its headers, and its body as it is kept. */
import { Stack, Table, Text } from '@mantine/core'
import type { Message } from '../../api/exchanges.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Panel } from '../../parts/panel.tsx'

export function MessageView({
  title,
  message: { headers, body },
}: {
  readonly title: string
  readonly message: Message
}) {
  const all = Object.entries(headers)
  return (
    <Panel title={title}>
      <Stack gap="sm">
        <BodyView body={body} label={`${title} as`} />
        {all.length > 0 && (
          <details>
            <summary>{all.length} headers</summary>
            <Table layout="fixed" verticalSpacing={2} withRowBorders={false}>
              <Table.Tbody>
                {all.map(([name, value]) => (
                  <Table.Tr key={name}>
                    <Table.Th scope="row" w="40%" className="mono" fw={400}>
                      {name}
                    </Table.Th>
                    <Table.Td className="mono">{value}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </details>
        )}
      </Stack>
    </Panel>
  )
}

function BodyView({ body, label }: { readonly body: Message['body']; readonly label: string }) {
  if (body === undefined) {
    return (
      <Text size="sm" c="dimmed">
        No body is kept.
      </Text>
    )
  }
  const { text, type, size, sha256, cut, changed } = body
  const facts = [
    type,
    size === undefined ? undefined : `${size.toLocaleString('en')} bytes`,
    sha256 && `SHA-256 ${sha256}`,
    cut && 'cut',
    changed && 'secrets or contents are taken out',
  ]
  return (
    <Stack gap={4}>
      <Text size="xs" c="dimmed">
        {facts.filter(Boolean).join(' · ')}
      </Text>
      {text !== undefined && <JsonView text={text} label={label} />}
    </Stack>
  )
}
