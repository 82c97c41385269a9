/** A console: a request with the token of the session, and its response. The address holds the request. */
import { Button, Group, Stack } from '@mantine/core'
import type { CapabilityStatement } from 'fhir/r4'
import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { elementSuggestions } from '../../fhir/element-suggestions.ts'
import { prettyJson } from '../../fhir/json-text.ts'
import type { Known } from '../../fhir/template.ts'
import { isXml } from '../../fhir/xml-text.ts'
import { CopyAsCurl } from '../../parts/copy.tsx'
import type { Place } from '../../parts/json-editor/json-place.ts'
import { matching } from '../../parts/json-editor/suggestion.ts'
import { Empty } from '../../parts/page-states.tsx'
import { tellProblem } from '../../parts/undo.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { Answer } from './answer.tsx'
import { useConsoleFilters, viewIn } from './console-filters.ts'
import { KeptDialog } from './kept-dialog.tsx'
import { BodyField, HeaderField, RequestLine } from './request-fields.tsx'
import { requestOf, type TypedRequest, takesBody } from './request-text.ts'
import { BuildButton, SearchBuilder, searchOf } from './search-builder.tsx'
import { useDesk } from './use-desk.ts'
import { useBodies, useKnown } from './use-known.ts'

export function Console({ statement }: { readonly statement: CapabilityStatement }) {
  const desk = useDesk(statement)
  const edit = (body: string, path: string, version: string | undefined): void =>
    desk.load({
      ...{ method: 'PUT', path, body, format: isXml(body) ? 'xml' : 'json' },
      headers: version === undefined ? '' : `If-Match: W/"${version}"`,
    })
  return (
    <Stack>
      <RequestForm desk={desk} statement={statement} />
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

interface RequestFormProps {
  readonly desk: ReturnType<typeof useDesk>
  readonly statement: CapabilityStatement
}

function RequestForm({ desk, statement }: RequestFormProps) {
  const { request, kept, load } = desk
  const [isChoosing, setChoosing] = useState(false)
  const { question } = useUnsaved(desk.isUnsent, { leftBy: viewIn })
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
          {request.method === 'GET' && <SearchSection desk={desk} statement={statement} />}
          {takesBody(request.method) && <BodySection desk={desk} statement={statement} />}
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={() => setChoosing(true)}>
              History and saved
            </Button>
            <CopyAsCurl request={requestOf(request)} />
          </Group>
        </Stack>
      </form>
      {question}
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

/** The search in parts, where the address is one and the user wants it. */
function SearchSection({ desk: { request, setTyped }, statement }: RequestFormProps) {
  const [{ build }, setFilters] = useConsoleFilters()
  if (searchOf(statement, request.path) === undefined) return null
  const isBuilt = build === 'yes'
  return (
    <>
      <Group>
        <BuildButton size="xs" isBuilt={isBuilt} onChange={setFilters} />
      </Group>
      {isBuilt && <SearchBuilder statement={statement} path={request.path} onChange={setTyped} />}
    </>
  )
}

function BodySection({ desk, statement }: RequestFormProps) {
  const { request, findings, setBody, sendNow } = desk
  const known = useKnown(statement)
  const bodyFor = useBodies(statement)
  const [{ fill }, setFilters] = useConsoleFilters()
  /** @param how `run`: it is sent at once */
  const fillFor = async (how: string): Promise<void> => {
    const found = await bodyFor({ method: request.method, path: request.path }, how).catch(tellProblem)
    if (found === undefined) return
    const body = prettyJson(JSON.stringify(found))
    desk.fillIn(body)
    if (how === 'run') sendNow({ ...request, body })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address that asks for it is filled in once
  useEffect(() => {
    if (fill === '') return
    setFilters({ fill: '' }, { replace: true })
    void fillFor(fill)
  }, [fill])
  return (
    <BodyField
      request={request}
      findings={findings}
      onChange={setBody}
      onSend={sendNow}
      onFill={() => void fillFor('yes')}
      suggest={(place, before) => suggestionsAt(place, before, known)}
    />
  )
}

const suggestionsAt = async (place: Place, before: string, known: Known) =>
  matching(await elementSuggestions(place, before, known), place.word)

const isSendKey = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean => key === 'Enter' && (ctrlKey || metaKey)
