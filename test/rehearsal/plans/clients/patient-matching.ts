/** Clients for the plan patient-matching, over FHIR. */
import type { Patient } from 'fhir/r4'
import { Client, type Mistakes, matchesIn } from './client.ts'
import type { Answer } from './connection.ts'

/** Somebody who is looked up. */
interface Person {
  readonly family: string
  readonly given?: string
  readonly birthDate: string
}

const PEOPLE: readonly Person[] = [
  { family: 'Oyelaran', given: 'Marguerite', birthDate: '1957-04-12' },
  { family: 'Haas', birthDate: '2014-06-21' },
  { family: 'Quist', given: 'Zebulon', birthDate: '1990-09-09' },
  { family: 'Castellane', given: 'Vivienne', birthDate: '1971-05-19' },
  { family: 'Marchetti', given: 'Ines', birthDate: '1980-10-10' },
  { family: 'Okonjo', given: 'Perpetua', birthDate: '1944-06-01' },
  { family: 'Dvorackova', given: 'Sarka', birthDate: '1985-12-24' },
  { family: 'Lindgren', given: 'Theo', birthDate: '2018-08-02' },
  { family: 'Quiroga Altamirano', given: 'Maria', birthDate: '1992-03-08' },
  { family: 'Wolanski', given: 'Casimir', birthDate: '1999-02-02' },
  { family: 'Whitlock', given: 'Cornelius', birthDate: '1976-04-04' },
  { family: 'Smith', given: 'Wanda', birthDate: '1966-07-23' },
  { family: 'Pellegrini', given: 'Bruno', birthDate: '1979-11-03' },
  { family: 'Dijkstra', given: 'Joke', birthDate: '1968-02-29' },
]

const PENROSE: Person = { family: 'Penrose', given: 'Archibald', birthDate: '1938-01-30' }

export class MatchingClient extends Client {
  readonly people: readonly Person[] = PEOPLE

  async run(): Promise<void> {
    for (const person of this.people) await this.lookUp(person)
    await this.match()
    const penrose = await this.lookUp(PENROSE)
    if (penrose !== undefined && this.mayBeBooked(penrose)) await this.book(penrose)
  }

  /** The record of the person, opened; undefined where it is not certain whose it is. */
  async lookUp(person: Person): Promise<Patient | undefined> {
    const answer = await this.search(person)
    if (!this.isAnswer(answer)) return undefined
    const matches = this.matchesOf(answer)
    if (matches.length === 0) await this.nobodyFound(person)
    if (matches.length > 1) return this.severalFound(matches, person)
    const [match] = matches
    return match !== undefined && this.isUnderstood(match) ? await this.open(match) : undefined
  }

  search({ family, given, birthDate: birthdate }: Person): Promise<Answer> {
    const query = new URLSearchParams({ family, ...(given && { given }), birthdate })
    return this.at.fhir('GET', `/Patient?${query}`)
  }

  /** A Bundle without an error. Whatever else comes does not say that there is nobody. */
  isAnswer({ status, body }: Answer): boolean {
    return (
      status === 200 && body?.resourceType === 'Bundle' && !severitiesIn(body).some((one) => /error|fatal/.test(one))
    )
  }

  matchesOf(answer: Answer): readonly Patient[] {
    return matchesIn<Patient>(answer).filter((match) => this.isCurrent(match))
  }

  /** A record that no other has replaced. */
  isCurrent({ link = [] }: Patient): boolean {
    return !link.some(({ type }) => type === 'replaced-by')
  }

  isUnderstood({ modifierExtension }: Patient): boolean {
    return modifierExtension === undefined
  }

  mayBeBooked({ deceasedBoolean, deceasedDateTime }: Patient): boolean {
    return deceasedBoolean !== true && deceasedDateTime === undefined
  }

  async open({ id }: Patient): Promise<Patient> {
    return (await this.at.fhir('GET', `/Patient/${id}`)).body
  }

  async nobodyFound({ family, given = '', birthDate }: Person): Promise<void> {
    await this.at.fhir('POST', '/Patient', { resourceType: 'Patient', name: [{ family, given: [given] }], birthDate })
  }

  /** It is left to the user which of them is meant. */
  async severalFound(_matches: readonly Patient[], _person: Person): Promise<undefined> {}

  async match(): Promise<void> {
    await this.at.fhir('POST', '/Patient/$match', {
      resourceType: 'Patient',
      name: [{ family: 'Marchetti', given: ['Hugo'] }],
      birthDate: '1978-12-01',
      telecom: [{ system: 'phone', value: '+15185550128' }],
    })
  }

  async book({ id }: Patient): Promise<void> {
    await this.at.fhir('POST', '/Appointment', {
      resourceType: 'Appointment',
      status: 'proposed',
      participant: [{ actor: { reference: `Patient/${id}` }, status: 'needs-action' }],
    })
  }
}

/** The severities of the OperationOutcomes in a Bundle. */
const severitiesIn = (body: Answer['body']): readonly string[] =>
  (body?.entry ?? []).flatMap(({ resource }: { resource: { issue?: { severity: string }[] } }) =>
    (resource.issue ?? []).map(({ severity }) => severity),
  )

export const matchingMistakes: Mistakes = {
  'one-match': class extends MatchingClient {
    override people = PEOPLE.slice(1)
  },
  'several-matches': class extends MatchingClient {
    override async severalFound([first]: readonly Patient[]) {
      if (first !== undefined) await this.open(first)
      return undefined
    }
  },
  'no-match': class extends MatchingClient {
    override async nobodyFound() {}
  },
  'status-4xx': class extends MatchingClient {
    override isAnswer(answer: Answer) {
      return answer.status === 403 || super.isAnswer(answer)
    }
  },
  'status-5xx': class extends MatchingClient {
    override isAnswer(answer: Answer) {
      return answer.status === 502 || super.isAnswer(answer)
    }
  },
  'outcome-alone': class extends MatchingClient {
    override isAnswer(answer: Answer) {
      return answer.body?.resourceType === 'OperationOutcome' || super.isAnswer(answer)
    }
  },
  'outcome-error': class extends MatchingClient {
    override isAnswer({ status, body }: Answer) {
      return status === 200 && body?.resourceType === 'Bundle'
    }
  },
  'outcome-warning': class extends MatchingClient {
    override matchesOf(answer: Answer) {
      return severitiesIn(answer.body).includes('warning') ? [] : super.matchesOf(answer)
    }
  },
  'outcome-information': class extends MatchingClient {
    override isAnswer(answer: Answer) {
      return super.isAnswer(answer) && severitiesIn(answer.body).length === 0
    }
  },
  'violates-profile': class extends MatchingClient {
    override isCurrent(match: Patient) {
      return match.identifier !== undefined && super.isCurrent(match)
    }
  },
  'unknown-extension': class extends MatchingClient {
    override isUnderstood(match: Patient) {
      return match.extension === undefined && super.isUnderstood(match)
    }
  },
  'unknown-modifier': class extends MatchingClient {
    override isUnderstood() {
      return true
    }
  },
  'minimum-data': class extends MatchingClient {
    override async match() {
      await this.at.fhir('POST', '/Patient/$match', { resourceType: 'Patient', name: [{ family: 'Marchetti' }] })
    }
  },
  'no-create-after-several': class extends MatchingClient {
    override async severalFound(_matches: readonly Patient[], person: Person) {
      await this.nobodyFound(person)
      return undefined
    }
  },
  'merged-followed': class extends MatchingClient {
    override isCurrent() {
      return true
    }
  },
  'deceased-not-booked': class extends MatchingClient {
    override mayBeBooked() {
      return true
    }
  },
}
