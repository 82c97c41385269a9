/** A console: a request with the token of the session, and its response. The address holds the request. */
import { Button, Group, Stack } from '@mantine/core'
import type { CapabilityStatement } from 'fhir/r4'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { CopyAsCurl } from '../../parts/copy.tsx'
import { Empty } from '../../parts/page-states.tsx'
import { Answer } from './answer.tsx'
import { KeptDialog } from './kept-dialog.tsx'
import { BodyField, HeaderField, RequestLine } from './request-fields.tsx'
import { requestOf, type TypedRequest, takesBody } from './request-text.ts'
import { useDesk } from './use-desk.ts'

export function Console({ statement }: { readonly statement: CapabilityStatement }) {
  const desk = useDesk(statement)
  const edit = (body: string, path: string, version: string | undefined): void =>
    desk.load({
      ...{ method: 'PUT', path, body, format: 'json' },
      headers: version === undefined ? '' : `If-Match: W/"${version}"`,
    })
  return (
    <Stack>
      <RequestForm desk={desk} />
      {desk.answer === undefined ? (
        <Empty icon="explorer" title="No request has been sent">
          Fill in what stands in braces, and send it.
        </Empty>
      ) : (
        <Answer answer={desk.answer} statement={statement} onOpen={desk.openPath} onEdit={edit} />
      )}
    </Stack>
  )
}

function RequestForm({ desk }: { readonly desk: ReturnType<typeof useDesk> }) {
  const { request, findings, kept, load } = desk
  const [isChoosing, setChoosing] = useState(false)
  const submit = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault()
    desk.submit()
  }
  const choose = (one: TypedRequest): void => {
    setChoosing(false)
    load(one)
  }
  return (
    <>
      <form aria-label="Request" onSubmit={submit} onKeyDown={(event) => isSendKey(event) && submit(event)}>
        <Stack gap="sm">
          <RequestLine
            request={request}
            isElsewhere={desk.isElsewhere}
            isBusy={desk.isBusy}
            onChange={desk.change}
            onPath={desk.setTyped}
          />
          <HeaderField value={request.headers} onChange={desk.setHeaders} />
          {takesBody(request.method) && (
            <BodyField request={request} findings={findings} onChange={desk.setBody} onSend={desk.sendNow} />
          )}
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={() => setChoosing(true)}>
              History and saved
            </Button>
            <CopyAsCurl request={requestOf(request)} />
          </Group>
        </Stack>
      </form>
      <KeptDialog
        isOpen={isChoosing}
        kept={kept}
        request={request}
        onChoose={choose}
        onClose={() => setChoosing(false)}
      />
    </>
  )
}

const isSendKey = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean => key === 'Enter' && (ctrlKey || metaKey)
