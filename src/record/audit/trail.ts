/**
 * The audit trail: a recorder of events, which are written in blocks. See docs/adr/019-audit-trail.md.
 */
import { randomInt } from 'node:crypto'
import type { AuditBlock, AuditStore } from '../../storage/audit-port.ts'
import { type Gap, OF_STRANGERS, Recorder, type RecorderOptions, type Recording } from '../recorder.ts'
import { TokenBucket } from '../token-bucket.ts'
import { blockKeys, blocksOf, PROCESS_LENGTH } from './block.ts'
import { type AuditedEvent, charactersOf, gapEvent } from './event.ts'

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
  readonly #keyFor = blockKeys(
    randomInt(36 ** PROCESS_LENGTH)
      .toString(36)
      .padStart(PROCESS_LENGTH, '0'),
  )
  /** A flood of requests must not fill the disk. */
  readonly #strangers = new TokenBucket(OF_STRANGERS)

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
}

/** A login that failed may be anybody's. */
const isOfStranger = ({ agent, interaction, status }: AuditedEvent): boolean =>
  agent.kind === 'unknown' || (interaction === 'login' && status >= 400)
