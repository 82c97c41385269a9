/** A console: a request with the token of the session, and its response. The address holds the request. */
import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import type { CapabilityStatement } from 'fhir/r4'
import { type FormEvent, useEffect, useState } from 'react'
import { isElsewhere } from '../../api/address.ts'
import type { ApiRequest } from '../../api/client.ts'
import { contentTypeOf } from '../../api/curl.ts'
import { useExchange } from '../../api/exchanges.ts'
import { useMaybeClinic } from '../../parts/clinic-context.tsx'
import { CopyAsCurl } from '../../parts/copy.tsx'
import { useFilters } from '../../parts/filters.ts'
import { LazyJsonEditor } from '../../parts/json-editor/lazy-json-editor.tsx'
import { Empty } from '../../parts/page-states.tsx'
import { Answer } from './answer.tsx'
import { useConsole } from './use-console.ts'

/** `from`: an exchange of the journal, whose body is sent again. */
const DEFAULTS = { view: 'console', method: 'GET', path: 'Patient?_count=20', open: '', from: '' }
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export function Console({ statement }: { readonly statement: CapabilityStatement }) {
  const [{ method, path, open, from }, setFilters] = useFilters(DEFAULTS)
  const wanted = open || path
  const [typed, setTyped] = useState(wanted)
  const [body, setBody] = useState('')
  const [headers, setHeaders] = useState('')
  const desk = useConsole()
  const earlier = useBodyOf(from)
  const ofOthers = (address: string): boolean => isElsewhere(address, statement.implementation?.url)
  useEffect(() => {
    if (earlier !== undefined) setBody(earlier)
  }, [earlier])
  const request: ApiRequest = {
    method,
    path: typed,
    headers: headersOf(headers, method),
    ...(takesBody(method) && body !== '' ? { body } : {}),
  }
  // An address that names a read sends it at once; any other request waits for the button.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is what it waits for
  useEffect(() => {
    setTyped(wanted)
    if (method === 'GET' && !wanted.includes('{') && !ofOthers(wanted)) void desk.send({ path: wanted })
  }, [wanted, method])
  const openPath = (next: string): void => setFilters({ method: 'GET', path: next, open: '' })
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (ofOthers(typed)) return
    if (method === 'GET' && typed !== wanted) openPath(typed)
    else {
      setFilters({ path: typed, open: '' })
      void desk.send(request)
    }
  }
  const edit = (text: string, address: string, version: string | undefined): void => {
    setBody(text)
    setHeaders(version === undefined ? '' : `If-Match: W/"${version}"`)
    setFilters({ method: 'PUT', path: address, open: '' })
  }
  return (
    <Stack>
      <form onSubmit={send}>
        <Stack gap="sm">
          <Group gap="xs">
            <NativeSelect
              aria-label="Method"
              data={METHODS}
              value={method}
              onChange={(event) => setFilters({ method: event.currentTarget.value, path: typed, open: '' })}
            />
            <TextInput
              aria-label="Address"
              flex="1 1 220px"
              value={typed}
              spellCheck={false}
              classNames={{ input: 'mono' }}
              error={
                ofOthers(typed) && 'This is the address of another server; the console sends requests to this one only.'
              }
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Button type="submit" loading={desk.isBusy} disabled={ofOthers(typed)}>
              Send
            </Button>
            <CopyAsCurl request={request} />
          </Group>
          {takesBody(method) && (
            <BodyFields headers={headers} onHeaders={setHeaders} body={body} onBody={setBody} desk={desk} />
          )}
        </Stack>
      </form>
      {desk.answer === undefined ? (
        <Empty icon="explorer" title="No request has been sent">
          Fill in what stands in braces, and send it.
        </Empty>
      ) : (
        <Answer answer={desk.answer} statement={statement} onOpen={openPath} onEdit={edit} />
      )}
    </Stack>
  )
}

/** The body of a request that the journal has kept whole. */
function useBodyOf(exchange: string): string | undefined {
  const clinic = useMaybeClinic()
  const { data } = useExchange(clinic?.id ?? '', exchange, clinic !== undefined && exchange !== '')
  const { text, cut = false, changed = false } = data?.request.body ?? {}
  return cut || changed ? undefined : text
}

interface BodyProps {
  readonly headers: string
  readonly onHeaders: (text: string) => void
  readonly body: string
  readonly onBody: (text: string) => void
  readonly desk: ReturnType<typeof useConsole>
}

const BodyFields = ({ headers, onHeaders, body, onBody, desk }: BodyProps) => (
  <>
    <Textarea
      aria-label="Headers"
      placeholder={'Headers, one on a line: If-Match: W/"1"'}
      autosize
      minRows={1}
      classNames={{ input: 'mono' }}
      value={headers}
      onChange={(event) => onHeaders(event.currentTarget.value)}
    />
    <LazyJsonEditor label="Body" value={body} findings={desk.findings} onChange={onBody} />
    <Group>
      <Button variant="default" size="xs" disabled={body === ''} onClick={() => void desk.validate(body)}>
        Validate
      </Button>
    </Group>
  </>
)

const takesBody = (method: string): boolean => method === 'POST' || method === 'PUT' || method === 'PATCH'

/** `name: value` on each line. */
function headersOf(text: string, method: string): Readonly<Record<string, string>> {
  const type: Readonly<Record<string, string>> = takesBody(method) ? { 'content-type': contentTypeOf(method) } : {}
  const given = text.split('\n').flatMap((line) => {
    const [name, ...value] = line.split(':')
    return name === undefined || name.trim() === '' || value.length === 0
      ? []
      : [[name.trim().toLowerCase(), value.join(':').trim()]]
  })
  return { ...type, ...Object.fromEntries(given) }
}
