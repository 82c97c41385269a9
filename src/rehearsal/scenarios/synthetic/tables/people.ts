/**
 * Names by origin, households, places and insurance. Shares are roughly those of the United States
 * (https://www.census.gov/quickfacts/); the names are frequent ones, drawn at random, and mean nobody.
 */
import type { Range } from '../random.ts'

/** Race and ethnicity by the codes of the CDC: https://terminology.hl7.org/CodeSystem-CDCREC.html */
export interface Origin {
  readonly share: number
  readonly race: { readonly code: string; readonly display: string }
  readonly isHispanic: boolean
  /** Probability that the preferred language is `language`, and not English. */
  readonly foreign?: { readonly language: string; readonly text: string; readonly share: number }
  readonly families: readonly string[]
  readonly female: readonly string[]
  readonly male: readonly string[]
}

const ENGLISH = {
  female: [
    ...['Alice', 'Amelia', 'Brenda', 'Carol', 'Charlotte', 'Claire', 'Diane', 'Eleanor', 'Emily', 'Faith', 'Grace'],
    ...[
      'Hannah',
      'Heather',
      'Irene',
      'Janet',
      'Joan',
      'Judith',
      'Karen',
      'Laura',
      'Lillian',
      'Lucy',
      'Martha',
      'Megan',
    ],
    ...['Nancy', 'Olivia', 'Paige', 'Rachel', 'Rebecca', 'Sarah', 'Sophie', 'Teresa', 'Valerie', 'Violet', 'Wendy'],
  ],
  male: [
    ...['Aaron', 'Andrew', 'Arthur', 'Benjamin', 'Brian', 'Calvin', 'Craig', 'Daniel', 'Dennis', 'Edward', 'Ethan'],
    ...['Frank', 'Gary', 'George', 'Harold', 'Henry', 'Ian', 'Jack', 'Joseph', 'Keith', 'Leonard', 'Lucas', 'Mark'],
    ...['Nathan', 'Oliver', 'Patrick', 'Peter', 'Ralph', 'Raymond', 'Samuel', 'Scott', 'Stephen', 'Thomas', 'Walter'],
  ],
}

export const ORIGINS: readonly Origin[] = [
  {
    share: 59,
    race: { code: '2106-3', display: 'White' },
    isHispanic: false,
    families: [
      ...['Abbott', 'Ashworth', 'Barlow', 'Beckett', 'Brennan', 'Callahan', 'Carver', 'Conroy', 'Crawley', 'Dalton'],
      ...['Delaney', 'Dietrich', 'Donnelly', 'Eastman', 'Fairbanks', 'Farrell', 'Fiore', 'Gallagher', 'Garrity'],
      ...['Hartmann', 'Hollis', 'Jansen', 'Kaminski', 'Keegan', 'Koch', 'Larkin', 'Lindgren', 'Lombardi', 'Maguire'],
      ...['McAllister', 'Merrill', 'Moretti', 'Novak', "O'Rourke", 'Olsen', 'Pruitt', 'Quigley', 'Rinaldi', 'Rowe'],
      ...['Schaefer', 'Smith', 'Sorensen', 'Stanton', 'Tierney', 'Van Dyke', 'Wexler', 'Whitaker', 'Wojcik', 'Yates'],
    ],
    ...ENGLISH,
  },
  {
    share: 13,
    race: { code: '2054-5', display: 'Black or African American' },
    isHispanic: false,
    families: [
      ...['Baptiste', 'Bolden', 'Boone', 'Bridges', 'Broadnax', 'Coleman', 'Desir', 'Dupree', 'Ellison', 'Gaines'],
      ...['Gadson', 'Hairston', 'Holloway', 'Jeffries', 'Langford', 'Mensah', 'Merriweather', 'Oyelaran', 'Pettway'],
      ...['Randle', 'Rivers', 'Stallworth', 'Tolliver', 'Vaughn', 'Witherspoon'],
    ],
    female: [
      ...[
        'Aaliyah',
        'Amina',
        'Bernice',
        'Danielle',
        'Denise',
        'Ebony',
        'Gloria',
        'Imani',
        'Jasmine',
        'Keisha',
        'Latoya',
      ],
      ...['Monique', 'Naomi', 'Nia', 'Renee', 'Ruth', 'Shanice', 'Tamara', 'Vivian', 'Yvonne'],
    ],
    male: [
      ...[
        'Andre',
        'Cedric',
        'Clarence',
        'Curtis',
        'Darnell',
        'Deshawn',
        'Elijah',
        'Isaiah',
        'Jamal',
        'Jerome',
        'Julian',
      ],
      ...['Kofi', 'Leon', 'Malik', 'Marcus', 'Maurice', 'Reginald', 'Terrence', 'Tyrone', 'Xavier'],
    ],
  },
  {
    share: 19,
    race: { code: '2131-1', display: 'Other Race' },
    isHispanic: true,
    foreign: { language: 'es', text: 'Spanish', share: 0.3 },
    families: [
      ...['Acosta', 'Aguilar', 'Barrera', 'Caballero', 'Castillo', 'Cisneros', 'Cordero', 'Escobedo', 'Espinoza'],
      ...[
        'Figueroa',
        'Galindo',
        'Ibarra',
        'Maldonado',
        'Meléndez',
        'Montoya',
        'Muñoz',
        'Olivares',
        'Pacheco',
        'Quintero',
      ],
      ...['Rosado', 'Salcedo', 'Santiago', 'Valdivia', 'Velázquez', 'Zamora'],
    ],
    female: [
      ...['Adriana', 'Alejandra', 'Beatriz', 'Camila', 'Carmen', 'Daniela', 'Elena', 'Esperanza', 'Gabriela', 'Inés'],
      ...['Isabel', 'Lourdes', 'Lucía', 'Marisol', 'Mercedes', 'Paloma', 'Rosa', 'Sofía', 'Valentina', 'Ximena'],
    ],
    male: [
      ...[
        'Alejandro',
        'Andrés',
        'Carlos',
        'Diego',
        'Emilio',
        'Enrique',
        'Felipe',
        'Gustavo',
        'Héctor',
        'Ignacio',
        'Javier',
      ],
      ...['Joaquín', 'José', 'Luis', 'Manuel', 'Mateo', 'Miguel', 'Rafael', 'Ramón', 'Santiago'],
    ],
  },
  {
    share: 3,
    race: { code: '2028-9', display: 'Asian' },
    isHispanic: false,
    foreign: { language: 'zh', text: 'Chinese', share: 0.3 },
    families: ['Chang', 'Chen', 'Fung', 'Guo', 'Huang', 'Kwan', 'Lau', 'Lin', 'Ma', 'Shen', 'Tsai', 'Wu', 'Xu', 'Zhao'],
    female: ['Amy', 'Fang', 'Grace', 'Hui', 'Jing', 'Li', 'Mei', 'Ping', 'Vivian', 'Xiaoli', 'Yan', 'Yun'],
    male: ['Bo', 'Calvin', 'Feng', 'Gang', 'Hao', 'Jun', 'Kevin', 'Ming', 'Peng', 'Raymond', 'Tao', 'Wei'],
  },
  {
    share: 3,
    race: { code: '2028-9', display: 'Asian' },
    isHispanic: false,
    families: [
      'Bhatt',
      'Chaudhary',
      'Desai',
      'Iyer',
      'Joshi',
      'Kulkarni',
      'Menon',
      'Mistry',
      'Rao',
      'Sethi',
      'Trivedi',
    ],
    female: [
      'Ananya',
      'Anjali',
      'Asha',
      'Deepa',
      'Kavita',
      'Lakshmi',
      'Meera',
      'Nisha',
      'Pooja',
      'Priya',
      'Sunita',
      'Uma',
    ],
    male: [
      'Anil',
      'Arjun',
      'Ashok',
      'Deepak',
      'Ganesh',
      'Harish',
      'Kiran',
      'Nikhil',
      'Rajesh',
      'Sanjay',
      'Suresh',
      'Vikram',
    ],
  },
  {
    share: 3,
    race: { code: '2028-9', display: 'Asian' },
    isHispanic: false,
    families: ['Cho', 'Dang', 'Huynh', 'Jung', 'Lim', 'Magsaysay', 'Ngo', 'Reyes', 'Seo', 'Tran', 'Villanueva', 'Yoon'],
    female: ['Ana', 'Eun-ji', 'Hana', 'Joy', 'Kim', 'Lan', 'Linh', 'Maricel', 'Minh Anh', 'Rosario', 'Soo-jin', 'Thuy'],
    male: ['Andy', 'Daniel', 'Duc', 'Hung', 'Jin-woo', 'Jun-ho', 'Long', 'Marlon', 'Minh', 'Rommel', 'Sang', 'Tuan'],
  },
]

/** Ages are whole years; a child is at least 20 years younger than its youngest parent. */
export interface HouseholdKind {
  readonly share: number
  /** Age of the first adult. */
  readonly age: Range
  readonly adults: 1 | 2
  readonly children: Range
}

export const HOUSEHOLDS: readonly HouseholdKind[] = [
  { share: 14, age: [19, 34], adults: 1, children: [0, 0] },
  { share: 12, age: [35, 64], adults: 1, children: [0, 0] },
  { share: 10, age: [65, 93], adults: 1, children: [0, 0] },
  { share: 9, age: [22, 34], adults: 2, children: [0, 0] },
  { share: 20, age: [46, 64], adults: 2, children: [0, 0] },
  { share: 11, age: [65, 84], adults: 2, children: [0, 0] },
  { share: 20, age: [26, 52], adults: 2, children: [1, 4] },
  { share: 6, age: [24, 48], adults: 1, children: [1, 2] },
]

/** Cities around Albany with their postal codes. */
export const PLACES = [
  { share: 10, city: 'Albany', postalCode: '12203' },
  { share: 8, city: 'Albany', postalCode: '12208' },
  { share: 6, city: 'Albany', postalCode: '12210' },
  { share: 6, city: 'Schenectady', postalCode: '12304' },
  { share: 6, city: 'Troy', postalCode: '12180' },
  { share: 4, city: 'Cohoes', postalCode: '12047' },
  { share: 4, city: 'Delmar', postalCode: '12054' },
  { share: 4, city: 'Latham', postalCode: '12110' },
  { share: 3, city: 'Clifton Park', postalCode: '12065' },
  { share: 3, city: 'Guilderland', postalCode: '12084' },
  { share: 3, city: 'Rensselaer', postalCode: '12144' },
] as const

export const STREETS = [
  ...['Alder Lane', 'Birch Street', 'Canal Road', 'Cedar Avenue', 'Chestnut Street', 'Elm Street', 'Fern Court'],
  ...[
    'Garden Street',
    'Hawthorn Avenue',
    'Hickory Lane',
    'Laurel Drive',
    'Linden Avenue',
    'Meadow Road',
    'Mill Street',
  ],
  ...[
    'Oak Ridge Road',
    'Orchard Street',
    'Poplar Avenue',
    'River Road',
    'Spruce Street',
    'Sycamore Drive',
    'Willow Way',
  ],
] as const

/**
 * Area codes of New York; in each, 555-0100 to 555-0199 are set aside for fiction
 * (https://nationalnanpa.com/number_resource_info/555_numbers.html).
 */
export const HOME_AREA_CODES = ['518', '838', '607', '315', '845', '914'] as const
export const MOBILE_AREA_CODES = [
  ...['332', '347', '516', '585', '631', '646', '680', '716', '718', '917', '929', '934'],
] as const

/** An insurer and its product. Under 65 a household is insured as a whole; those older have Medicare. */
export interface Plan {
  readonly share: number
  readonly id: string
  readonly name: string
  /** https://terminology.hl7.org/CodeSystem-v3-ActCode.html, by the value set of Coverage.type. */
  readonly type: { readonly code: string; readonly display: string }
  /** The beginning of its member ids. */
  readonly prefix: string
}

const PUBLIC = { code: 'PUBLICPOL', display: 'public healthcare' }
const PRIVATE = { code: 'EHCPOL', display: 'extended healthcare' }

export const MEDICARE: Plan = { share: 0, id: 'medicare', name: 'Medicare', type: PUBLIC, prefix: 'MED' }

export const PLANS: readonly Plan[] = [
  { share: 34, id: 'hudson', name: 'Hudson Mutual Health Plan', type: PRIVATE, prefix: 'HMH' },
  { share: 28, id: 'mohawk', name: 'Mohawk Valley Health Plan', type: PRIVATE, prefix: 'MVH' },
  { share: 22, id: 'medicaid', name: 'New York State Medicaid', type: PUBLIC, prefix: 'NYM' },
]

/** The probability that a household has no insurance. */
export const UNINSURED = 0.07
