/** The request that is typed in the console: its parts, where they come from, and its sending. */
import type { CapabilityStatement } from 'fhir/r4'
import { useEffect, useRef, useState } from 'react'
import { isElsewhere } from '../../api/address.ts'
import { useExchange } from '../../api/exchanges.ts'
import { headersFor } from '../../fhir/operation-example.ts'
import { useMaybeClinic } from '../../parts/clinic-context.tsx'
import { useConsoleFilters } from './console-filters.ts'
import { linesOf, requestOf, type TypedRequest, takesBody } from './request-text.ts'
import { useConsole } from './use-console.ts'
import { useKeptRequests } from './use-kept-requests.ts'

export function useDesk(statement: CapabilityStatement) {
  const [{ method, path, open, from, format }, setFilters] = useConsoleFilters()
  const wanted = open || path
  const [typed, setTyped] = useState(wanted)
  const [body, setBody] = useState('')
  /** The body as it was filled in or sent last; more than that is the user's own, and would be lost. */
  const [known, setKnown] = useState('')
  const [headers, setHeaders] = useState(() => linesOf(headersFor(wanted)))
  const kept = useKeptRequests()
  const sending = useRef<TypedRequest>(null)
  const { answer, findings, isBusy, send } = useConsole((status) => {
    if (sending.current !== null) kept.noteSent({ ...sending.current, status, at: new Date().toISOString() })
  })
  const request: TypedRequest = { method, path: typed, headers, body, format: format === 'xml' ? 'xml' : 'json' }
  const fillIn = (text: string): void => {
    setBody(text)
    setKnown(text)
  }
  const isOfOthers = (address: string): boolean => isElsewhere(address, statement.implementation?.url)
  const sendNow = (one: TypedRequest): void => {
    if (isOfOthers(one.path)) return
    sending.current = one
    if (one.body === body) setKnown(body)
    void send(requestOf(one))
  }
  const earlier = useBodyOf(from)
  useEffect(() => {
    if (earlier === undefined) return
    setBody(earlier)
    setKnown(earlier)
  }, [earlier])
  // An address that names a read sends it at once; any other request waits for the button.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is what it waits for
  useEffect(() => {
    setTyped(wanted)
    const needed = linesOf(headersFor(wanted))
    if (needed !== '') setHeaders(needed)
    if (method === 'GET' && !wanted.includes('{')) sendNow({ ...request, path: wanted })
  }, [wanted, method, format])
  /** Puts a request on the desk; a read is sent by its address. */
  const load = (one: TypedRequest): void => {
    setHeaders(one.headers)
    fillIn(one.body)
    setTyped(one.path)
    setFilters({ method: one.method, path: one.path, format: one.format, open: '', from: '' })
  }
  const submit = (): void => {
    if (isOfOthers(typed)) return
    setFilters({ path: typed, open: '' })
    if (method !== 'GET' || typed === wanted) sendNow(request)
  }
  const change = (part: Partial<Pick<TypedRequest, 'method' | 'format'>>): void =>
    setFilters({ ...part, path: typed, open: '' })
  return {
    ...{ request, answer, findings, isBusy, kept, load, submit, sendNow, change },
    ...{ setTyped, setBody, setHeaders, fillIn },
    isUnsent: takesBody(method) && body !== known,
    isElsewhere: isOfOthers(typed),
    openPath: (next: string): void => setFilters({ method: 'GET', path: next, open: '' }),
  }
}

/** The body of a request that the journal has kept whole. */
function useBodyOf(exchange: string): string | undefined {
  const clinic = useMaybeClinic()
  const { data } = useExchange(clinic?.id ?? '', exchange, clinic !== undefined && exchange !== '')
  const { text, cut = false, changed = false } = data?.request.body ?? {}
  return cut || changed ? undefined : text
}
