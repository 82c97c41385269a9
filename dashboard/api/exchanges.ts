/** The journal: exchanges of the clinic, each a request and its response. */
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { get, READS, send } from './client.ts'
import { useGet } from './queries.ts'

export interface Exchange {
  readonly number: number
  readonly id: string
  readonly direction: 'in' | 'out'
  readonly time: string
  /** Milliseconds. */
  readonly duration: number
  readonly user?: { readonly id: string; readonly name: string }
  readonly call?: string
  readonly run?: string
  readonly method: string
  readonly address: string
  readonly interaction?: string
  readonly type?: string
  readonly operation?: string
  readonly system?: string
  /** 0: there was no response. */
  readonly status: number
  /** `broken`: a fault broke the connection. */
  readonly outcome: 'ok' | 'refused' | 'failed' | 'left' | 'broken'
  /** The faults that it met, each with a number: `slot-gone#2, slow#1`. docs/faults.md */
  readonly fault?: string
  readonly reason?: { readonly code: string; readonly text: string }
  readonly tools?: readonly ToolCall[]
}

export interface ToolCall {
  readonly tool: string
  readonly id: unknown
  readonly success?: boolean
  readonly code?: string
  /** With one exchange only, and where bodies are kept. */
  readonly arguments?: unknown
  readonly result?: unknown
}

/** Stands where exchanges are missing. */
export interface Gap {
  readonly gap: { readonly count: number; readonly from: string; readonly to: string; readonly why: string }
}

export type Entry = Exchange | Gap

export const isGap = (entry: Entry): entry is Gap => 'gap' in entry

export interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: {
    readonly text?: string
    readonly type?: string
    readonly size?: number
    readonly sha256?: string
    readonly cut?: boolean
    readonly changed?: boolean
  }
}

export interface WholeExchange extends Omit<Exchange, 'number'> {
  readonly correlation?: string
  readonly cause?: string
  readonly replayOf?: string
  readonly request: Message
  readonly response: Message
  readonly curl?: string
  readonly replay: { readonly possible: boolean; readonly reason?: string }
}

export interface Replay {
  /** X-Request-Id of the new one. */
  readonly exchange: string
  readonly status: number
  readonly duration: number
  readonly same: boolean
  readonly differences: readonly { readonly at: string; readonly before?: unknown; readonly after?: unknown }[]
  readonly isMore: boolean
  readonly hasBodies: boolean
}

/** The filters of the journal; an absent or empty filter lets everything through. */
export interface ExchangeFilters {
  readonly path?: string
  readonly status?: string
  readonly type?: string
  readonly call?: string
  readonly run?: string
  /** The name of one. */
  readonly fault?: string
}

interface Page {
  readonly exchanges: readonly Entry[]
  readonly next?: string
}

/** All pages fetched so far, the newest exchanges first. */
export function useExchanges(clinic: string, filters: ExchangeFilters) {
  const query = useInfiniteQuery({
    queryKey: ['exchanges', clinic, filters],
    queryFn: ({ pageParam, signal }) => get<Page>(pageParam, signal),
    initialPageParam: pathOf(clinic, filters),
    getNextPageParam: ({ next }: Page) => next,
    // New exchanges arrive by the stream.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return { ...query, entries: query.data?.pages.flatMap(({ exchanges }) => exchanges) }
}

/** Pages of 200 that are read of the exchanges of one call. */
const PAGES_OF_CALL = 5

/** The latest exchanges of a live call. */
export async function exchangesOfCall(
  clinic: string,
  call: string,
  signal?: AbortSignal,
): Promise<readonly Exchange[]> {
  const found: Exchange[] = []
  let next: string | undefined = `${pathOf(clinic, { call })}&count=200`
  for (let page = 0; next !== undefined && page < PAGES_OF_CALL; page += 1) {
    const { exchanges, next: after }: Page = await get<Page>(next, signal)
    found.push(...exchanges.filter((one): one is Exchange => !isGap(one)))
    next = after
  }
  return found
}

export const useExchange = (clinic: string, id: string, enabled = true) =>
  useGet<WholeExchange>(`clinics/${clinic}/exchanges/${encodeURIComponent(id)}`, { enabled })

/** Replays the request of an exchange. */
export const useReplay = (clinic: string, id: string) =>
  useMutation({
    mutationFn: async () =>
      (await send<Replay>({ method: 'POST', path: `clinics/${clinic}/exchanges/${encodeURIComponent(id)}/$replay` }))
        .body,
  })

export function pathOf(clinic: string, filters: ExchangeFilters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '')
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return `clinics/${clinic}/exchanges${query === '' ? '' : `?${query}`}`
}

/** Whether a page of the dashboard made the request, for lists that hide such reads. */
export const isOwnRead = ({ run }: Exchange): boolean => run === READS

/** The names of the faults that it met. */
const faultsOf = ({ fault = '' }: Exchange): readonly string[] =>
  fault.split(', ').map((one) => one.replace(/#\d+$/, ''))

/** Whether an exchange passes the filters, by the rules of the server. */
export function isWanted(exchange: Exchange, { path, status, type, call, run, fault }: ExchangeFilters): boolean {
  const isStatus =
    !status || (/^\dxx$/i.test(status) ? String(exchange.status)[0] === status[0] : String(exchange.status) === status)
  return (
    isStatus &&
    (!path || exchange.address.startsWith(path)) &&
    (!type || exchange.type === type) &&
    (!call || exchange.call === call) &&
    (!run || exchange.run === run) &&
    (!fault || faultsOf(exchange).includes(fault))
  )
}
