/** Clients for the plan document-write-back, over FHIR. */
import { randomUUID } from 'node:crypto'
import type { DocumentReference } from 'fhir/r4'
import { Client, type Mistakes } from './client.ts'
import type { Answer } from './connection.ts'

/** The system of the identifiers of this client's documents. */
const SYSTEM = 'urn:example:notes'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

export class DocumentClient extends Client {
  async run(): Promise<void> {
    await this.readBack(await this.file(this.note('abernathy-ruth', 'Seen today, all well.')))
    const first = await this.file(this.note('adeyemi-tunde', 'Pain in the left knee.'))
    await this.correct(first.body, this.note('adeyemi-tunde', 'Pain in the right knee.'))
    await this.withdraw((await this.file(this.note('dimitrov-elena', 'A note about somebody else.'))).body)
  }

  note(patient: string, text: string): DocumentReference {
    return {
      resourceType: 'DocumentReference',
      masterIdentifier: { system: SYSTEM, value: randomUUID() },
      status: 'current',
      docStatus: 'final',
      type: { coding: [{ system: 'http://loinc.org', code: '34109-9', display: 'Note' }] },
      subject: { reference: `Patient/${patient}` },
      content: [{ attachment: { contentType: 'text/plain;charset=utf-8', data: base64(text) } }],
      context: { encounter: [{ reference: `Encounter/${patient}-today` }] },
    }
  }

  /** A repeat of what was stored is answered with that. */
  async file(note: DocumentReference): Promise<Answer> {
    const answer = await this.create(note)
    return answer.status === 0 ? this.create(note) : answer
  }

  create(note: DocumentReference): Promise<Answer> {
    const { system, value } = note.masterIdentifier ?? {}
    return this.at.fhir('POST', '/DocumentReference', note, { 'if-none-exist': `identifier=${system}|${value}` })
  }

  async readBack({ headers }: Answer): Promise<void> {
    const [, id = ''] = /DocumentReference\/([^/]+)/.exec(headers.get('location') ?? '') ?? []
    await this.at.fhir('GET', `/DocumentReference/${id}`)
  }

  async correct({ id }: DocumentReference, note: DocumentReference): Promise<void> {
    const target = { reference: `DocumentReference/${id}` }
    await this.file({ ...note, relatesTo: [{ code: 'replaces', target }] })
  }

  async withdraw(note: DocumentReference): Promise<void> {
    await this.at.fhir('PUT', `/DocumentReference/${note.id}`, { ...note, status: 'entered-in-error' })
  }
}

export const documentMistakes: Mistakes = {
  status: class extends DocumentClient {
    override note(patient: string, text: string): DocumentReference {
      return { ...super.note(patient, text), docStatus: 'preliminary' }
    }
  },
  type: class extends DocumentClient {
    override note(patient: string, text: string): DocumentReference {
      return { ...super.note(patient, text), type: { text: 'Note' } }
    }
  },
  encounter: class extends DocumentClient {
    override note(patient: string, text: string): DocumentReference {
      const { context: _left, ...note } = super.note(patient, text)
      return note
    }
  },
  content: class extends DocumentClient {
    override note(patient: string, text: string): DocumentReference {
      const url = `https://notes.example/${patient}`
      return { ...super.note(patient, text), content: [{ attachment: { contentType: 'text/plain', url } }] }
    }
  },
  identifier: class extends DocumentClient {
    /** Told apart by their descriptions. */
    override create({ masterIdentifier, ...note }: DocumentReference) {
      const described = { ...note, description: masterIdentifier?.value }
      return this.at.fhir('POST', '/DocumentReference', described, {
        'if-none-exist': `description=${described.description}`,
      })
    }
  },
  'files-once': class extends DocumentClient {
    override create(note: DocumentReference) {
      return this.at.fhir('POST', '/DocumentReference', note)
    }
  },
  replaces: class extends DocumentClient {
    override async correct(_first: DocumentReference, note: DocumentReference) {
      await this.file(note)
    }
  },
  withdraws: class extends DocumentClient {
    override async withdraw({ id }: DocumentReference) {
      await this.at.fhir('DELETE', `/DocumentReference/${id}`)
    }
  },
  'reads-back': class extends DocumentClient {
    override async readBack() {}
  },
}
