/**
 * The audit trail: a recorder of events, which are written in blocks. A block names each agent and each address once, and
 * an event is an array, so that millions of them are quick to write and take little space. See
 * docs/adr/019-audit-trail.md.
 */
import { randomInt } from 'node:crypto'
import { TokenBucket } from '../../isolation/token-bucket.ts'
import { type AuditBlock, type AuditStore, BLOCK_SPAN, keyAt, type StoredBlock } from '../../storage/audit-port.ts'
import { type Gap, OF_STRANGERS, Recorder, type RecorderOptions, type Recording } from '../recorder.ts'
import { type Access, type AuditAgent, type AuditedEvent, type AuditInteraction, gapEvent } from './event.ts'

const RECORDING: Recording = {
  name: 'audit trail',
  flushAfter: 200,
  betweenGaps: 10_000,
  // The size of events is the characters of their queries and patients.
  most: { items: 20_000, size: 16_000_000 },
  partOfClinic: 1,
  lateAfter: 1_000,
}

export class AuditTrail extends Recorder<AuditedEvent, AuditBlock, AuditStore> {
  readonly #keyFor = blockKeys()
  /** A flood of requests must not fill the disk. */
  readonly #strangers = new TokenBucket({ ...OF_STRANGERS, step: 60_000 })

  constructor(options: RecorderOptions<AuditStore>) {
    super(options, RECORDING)
  }

  /** Costs next to nothing, and never fails. */
  record(event: AuditedEvent): void {
    const characters = charactersOf(event)
    if (isOfStranger(event) && !this.#strangers.take(event.at)) {
      this.miss(event, `more than ${OF_STRANGERS.burst} requests of strangers in a minute`)
    } else if (this.hasRoomFor(event.clinic, characters)) this.add(event, characters)
    else this.miss(event, 'more happened than could be written')
  }

  protected pack(events: readonly AuditedEvent[], takeGaps: () => readonly Gap[]): readonly AuditBlock[] {
    return blocksOf([...events, ...takeGaps().map(gapEvent)], this.#keyFor)
  }

  protected write(blocks: readonly AuditBlock[]): Promise<void> {
    return this.store.write(blocks)
  }

  protected itemsIn(block: AuditBlock): readonly AuditedEvent[] {
    return eventsOf(block, block.clinic)
  }
}

/** A login that failed may be anybody's. */
const isOfStranger = ({ agent, interaction, status }: AuditedEvent): boolean =>
  agent.kind === 'unknown' || (interaction === 'login' && status >= 400)

/** Size of one patient's id in `charactersOf`. */
const CHARACTERS_OF_ID = 40

/** Approximate number of characters of an event whose length its client decides. */
const charactersOf = ({ query, patients }: Pick<Access, 'query' | 'patients'>): number =>
  query.length + patients.length * CHARACTERS_OF_ID

/** The form of `AuditBlock.events`, as JSON: blocks stored earlier must stay readable. */
interface Packed {
  readonly agents: readonly AuditAgent[]
  readonly addresses: readonly string[]
  readonly events: readonly PackedEvent[]
}

type PackedEvent = readonly [
  milliseconds: number,
  agent: number,
  address: number,
  interaction: AuditInteraction,
  status: number,
  type: string,
  id: string,
  version: number,
  /** ITSELF: the resource is the patient. */
  patients: readonly string[] | typeof ITSELF,
  query: string,
  detail: string,
]

const ITSELF = 1

/** Limits of a block; further events start another one. */
const MAX_EVENTS = 2_000
const MAX_CHARACTERS = 1_000_000

/** Packs events in chronological order into blocks of one clinic each. */
function blocksOf(events: readonly AuditedEvent[], keyFor: (first: number) => string): readonly AuditBlock[] {
  const open = new Map<string, OpenBlock>()
  const blocks: OpenBlock[] = []
  for (const event of events) {
    let block = open.get(event.clinic)
    if (block === undefined || !block.hasRoomFor(event)) {
      block = new OpenBlock(event, keyFor(event.at))
      open.set(event.clinic, block)
      blocks.push(block)
    }
    block.add(event)
  }
  return blocks.map((block) => block.packed())
}

class OpenBlock {
  readonly #clinic: string
  readonly #key: string
  readonly #first: number
  /** Also finds agents by identity: the user of a token is one object. */
  readonly #agents = new Map<AuditAgent, number>()
  readonly #addresses = new Map<string, number>()
  readonly #patients = new Set<string>()
  readonly #events: PackedEvent[] = []
  #characters = 0

  constructor({ clinic, at }: AuditedEvent, key: string) {
    this.#clinic = clinic
    this.#key = key
    this.#first = at
  }

  /** False also after the clock was set back. */
  hasRoomFor({ at }: AuditedEvent): boolean {
    const isInSpan = at >= this.#first && at <= this.#first + BLOCK_SPAN
    return isInSpan && this.#events.length < MAX_EVENTS && this.#characters < MAX_CHARACTERS
  }

  add({ at, agent, address, interaction, status, type, id, version, patients, query, detail }: AuditedEvent): void {
    for (const patient of patients) this.#patients.add(patient)
    const isItself = type === 'Patient' && patients.length === 1 && patients[0] === id
    this.#events.push([
      at - this.#first,
      numberOf(agent, this.#agents),
      numberOf(address, this.#addresses),
      interaction,
      status,
      type,
      id,
      version,
      isItself ? ITSELF : patients,
      query,
      detail,
    ])
    this.#characters += 100 + charactersOf({ query, patients })
  }

  packed(): AuditBlock {
    const packed: Packed = {
      agents: [...this.#agents.keys()],
      addresses: [...this.#addresses.keys()],
      events: this.#events,
    }
    return {
      clinic: this.#clinic,
      key: this.#key,
      first: this.#first,
      patients: [...this.#patients],
      events: JSON.stringify(packed),
    }
  }
}

/** Numbers things in the order of their first appearance. */
function numberOf<T>(thing: T, numbers: Map<T, number>): number {
  const known = numbers.get(thing)
  if (known !== undefined) return known
  const next = numbers.size
  numbers.set(thing, next)
  return next
}

/** The events of a block, in the order in which they were recorded. */
export function eventsOf({ first, events }: StoredBlock, clinic: string): readonly AuditedEvent[] {
  const packed = JSON.parse(events) as Packed
  return packed.events.map(
    ([milliseconds, agent, address, interaction, status, type, id, version, patients, query, detail]) => ({
      clinic,
      at: first + milliseconds,
      agent: packed.agents[agent] ?? { kind: 'unknown' },
      address: packed.addresses[address] ?? '',
      interaction,
      status,
      type,
      id,
      version,
      patients: patients === ITSELF ? [id] : patients,
      query,
      detail,
    }),
  )
}

/** Makes the keys of one process: those of the same moment sort in the order in which they were made. */
function blockKeys(): (first: number) => string {
  const process = randomInt(36 ** PROCESS_LENGTH)
    .toString(36)
    .padStart(PROCESS_LENGTH, '0')
  let count = 0
  return (first) => {
    count = (count + 1) % COUNTS
    return `${keyAt(first)}${process}${count.toString(36).padStart(COUNT_LENGTH, '0')}`
  }
}

const COUNT_LENGTH = 4
const COUNTS = 36 ** COUNT_LENGTH

/** Characters of the name of a process in its keys, all digits and small letters. */
const PROCESS_LENGTH = 6
export const KEY_PATTERN = `[0-9a-z]{${keyAt(0).length + PROCESS_LENGTH + COUNT_LENGTH}}`

/** The time with which a key begins. */
export const timeOfKey = (key: string): number => Number.parseInt(key.slice(0, keyAt(0).length), 36)
