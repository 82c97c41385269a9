/** A scenario: two sisters, born forty and forty-two years ago, who are reached by the same phone. */
import { defineExtension, type Scenario, type ScenarioResource } from 'sandbox-emr'

const sister = (given: string, born: string): ScenarioResource => ({
  resourceType: 'Patient',
  id: `novak-${given.toLowerCase()}`,
  name: [{ family: 'Novak', given: [given] }],
  telecom: [{ system: 'phone', value: '+12125550188' }],
  birthDate: { $date: born },
})

const twoSisters: Scenario = {
  name: 'two-sisters',
  title: 'Two sisters',
  version: '1.0.0',
  description: 'Two patients of one family name and one phone.',
  people: [{ who: 'Ada Novak', resource: 'Patient/novak-ada', what: 'has a sister' }],
  count: 2,
  resources: () => [sister('Ada', 'today-40y'), sister('Eva', 'today-42y')],
}

export const extension = defineExtension({ name: 'two-sisters', scenarios: [twoSisters] })
