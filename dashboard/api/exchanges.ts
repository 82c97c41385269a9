/** The journal: exchanges of the clinic, each a request and its response. */
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { get, getBytes, READS, send } from './client.ts'
import { pagesFrom } from './lists.ts'
import { useGet } from './queries.ts'

export interface Exchange {
  readonly number: number
  readonly id: string
  readonly direction: 'in' | 'out'
  readonly time: string
  /** Milliseconds. */
  readonly duration: number
  /** Its parts, in milliseconds; absent for a request of the server. */
  readonly timing?: {
    readonly waiting: number
    readonly work: number
    /** A part of the work; absent in exchanges of older versions. */
    readonly store?: number
    readonly sending: number
  }
  readonly user?: { readonly id: string; readonly name: string }
  readonly call?: string
  readonly run?: string
  readonly trace?: string
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

export interface WholeExchange extends Exchange {
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
  readonly trace?: string
  /** The name of one. */
  readonly fault?: string
  readonly method?: string
  readonly direction?: string
  readonly user?: string
  readonly operation?: string
  readonly text?: string
  readonly 'run:not'?: string
  /** Instants; `until` itself is not included. */
  readonly since?: string
  readonly until?: string
  /** `failed`: in place of exchanges, failed authentications. */
  readonly authentication?: string
}

interface Count {
  readonly requests: number
  readonly errors: number
  /** Milliseconds. */
  readonly p95?: number
}

export interface Counts extends Count {
  readonly from: string
  readonly to: string
  /** Seconds. */
  readonly period: number
  readonly periods: readonly (Count & { readonly from: string })[]
  readonly methods: Readonly<Record<string, number>>
  readonly users: Readonly<Record<string, number>>
  readonly operations: Readonly<Record<string, number>>
  readonly isWhole: boolean
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
    // The stream has none of these.
    refetchInterval: filters.authentication ? 10_000 : false,
  })
  return { ...query, entries: query.data?.pages.flatMap(({ exchanges }) => exchanges) }
}

/**
 * How many there are, by time.
 * @param filtersNow gives the filters as of now, where a time ends with it
 * @param key changes with the filters
 * @param every milliseconds between two counts; absent: once
 */
export const useCounts = (clinic: string, filtersNow: () => ExchangeFilters, key: string, every?: number) =>
  useQuery({
    queryKey: ['exchanges', 'counts', clinic, key],
    queryFn: ({ signal }) => get<Counts>(pathOf(clinic, filtersNow(), '/counts'), signal),
    placeholderData: keepPreviousData,
    ...(every === undefined ? {} : { refetchInterval: every }),
  })

export type ExportFormat = 'har' | 'csv' | 'ndjson'

/** A file of what the filters let through. @throws Problem */
export const exportExchanges = (clinic: string, filters: ExchangeFilters, format: ExportFormat): Promise<Blob> =>
  getBytes({ path: pathOf(clinic, { ...filters, format }, '/export'), headers: { 'x-run-id': READS, accept: '*/*' } })

/** Entries that are asked for, as gaps are among them. */
const BESIDE = 5

/** The exchange before or after another one in the list; `newer`: it came later. */
export const useExchangeBeside = (
  clinic: string,
  number: number,
  side: 'newer' | 'older',
  filters: ExchangeFilters,
) => {
  const from = side === 'newer' ? { after: `${number}` } : { before: `${number}` }
  const query = useGet<Page>(pathOf(clinic, { ...filters, ...from, count: `${BESIDE}` }))
  return query.data?.exchanges.find((entry) => !isGap(entry)) as Exchange | undefined
}

/** Pages of 200 that are read of the exchanges of one call. */
const PAGES_OF_CALL = 5

/** The latest exchanges of a live call. */
export async function exchangesOfCall(
  clinic: string,
  call: string,
  signal?: AbortSignal,
): Promise<readonly Exchange[]> {
  const { pages } = await pagesFrom<Page>(pathOf(clinic, { call, count: '200' }), PAGES_OF_CALL, signal)
  return pages.flatMap(({ exchanges }) => exchanges.filter((one): one is Exchange => !isGap(one)))
}

/** @param filters those that name a part of the journal */
export const useExchange = (
  clinic: string,
  id: string,
  enabled = true,
  { authentication }: Pick<ExchangeFilters, 'authentication'> = {},
) => useGet<WholeExchange>(pathOfOne(clinic, id, { authentication }), { enabled })

/** Replays the request of an exchange. */
export const useReplay = (clinic: string, id: string) =>
  useMutation({
    mutationFn: async () => (await send<Replay>({ method: 'POST', path: `${pathOfOne(clinic, id)}/$replay` })).body,
  })

/** @param below the list: `/counts` */
export function pathOf(
  clinic: string,
  filters: { readonly [Name in keyof ExchangeFilters | 'format' | 'after' | 'before' | 'count']?: string | undefined },
  below = '',
): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '')
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return `clinics/${clinic}/exchanges${below}${query === '' ? '' : `?${query}`}`
}

export const pathOfOne = (clinic: string, id: string, filters: Parameters<typeof pathOf>[1] = {}): string =>
  pathOf(clinic, filters, `/${encodeURIComponent(id)}`)

/** Whether a page of the dashboard made the request, for lists that hide such reads. */
export const isOwnRead = ({ run }: Exchange): boolean => run === READS

/** The names of the faults that it met. */
const faultsOf = ({ fault = '' }: Exchange): readonly string[] =>
  fault.split(', ').map((one) => one.replace(/#\d+$/, ''))

/** The texts that a search by words compares. */
const wordsOf = ({
  method,
  address,
  reason,
  user,
  call,
  system,
  interaction,
  operation,
  tools = [],
}: Exchange): string =>
  [method, readable(address), reason?.code, reason?.text, user?.name, call, system, operation ?? interaction]
    .concat(tools.flatMap(({ tool, code }) => [tool, code]))
    .join('\n')

/** An address as people write it. */
function readable(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

const searchable = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

const isStatus = (status: number, wanted: string): boolean =>
  /^\dxx$/i.test(wanted) ? String(status)[0] === wanted[0] : String(status) === wanted

/** By the rules of the server: whether an exchange passes a filter. */
const PASSES: {
  readonly [Name in keyof ExchangeFilters]-?: (exchange: Exchange, wanted: string) => boolean
} = {
  path: ({ address }, wanted) => address.startsWith(wanted),
  status: ({ status }, wanted) => isStatus(status, wanted),
  type: ({ type }, wanted) => type === wanted,
  call: ({ call }, wanted) => call === wanted,
  run: ({ run }, wanted) => run === wanted,
  trace: ({ trace }, wanted) => trace === wanted.toLowerCase(),
  'run:not': ({ run }, wanted) => run !== wanted,
  fault: (exchange, wanted) => faultsOf(exchange).includes(wanted),
  method: ({ method }, wanted) => method === wanted.toUpperCase(),
  direction: ({ direction }, wanted) => direction === wanted,
  user: ({ user }, wanted) => user?.id === wanted,
  operation: ({ operation, interaction, tools = [] }, wanted) =>
    (operation ?? interaction) === wanted || tools.some(({ tool }) => tool === wanted),
  text: (exchange, wanted) => searchable(wordsOf(exchange)).includes(searchable(wanted)),
  since: ({ time }, wanted) => Date.parse(time) >= Date.parse(wanted),
  until: ({ time }, wanted) => Date.parse(time) < Date.parse(wanted),
  // The stream has the exchanges of the clinic.
  authentication: () => false,
}

/** Whether an exchange passes the filters. */
export const isWanted = (exchange: Exchange, filters: ExchangeFilters): boolean =>
  Object.entries(PASSES).every(([name, passes]) => {
    const wanted = filters[name as keyof ExchangeFilters]
    return !wanted || passes(exchange, wanted)
  })
