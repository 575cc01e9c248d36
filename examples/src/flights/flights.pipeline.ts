/**
 * Computes the mean delay of each airport and each route.
 *
 * Two tasks, cut at the topic in the middle. The first reads flights by the airport they leave from, looks that airport up in
 * the table of airports, and adds up; it also sends each flight on under its route, so that the second, in which all flights
 * of a route meet, can add them up.
 */
import { pipeline, stream, table } from '@stoplog/runtime';
import { airportDelays, airports, delaysOfAirport, delaysOfRoute, flights, flightsByRoute, routeDelays } from './topics.ts';

const departures = stream(flights);

export default pipeline(
  'flight-delays',
  departures
    .join(table(airports), ({ delay }, { name }) => ({ delay, airport: name }))
    .fold(delaysOfAirport, {
      init: () => ({ airport: '', flights: 0, minutes: 0 }),
      update: ({ flights, minutes }, { delay, airport }) => ({ airport, flights: flights + 1, minutes: minutes + delay }),
    })
    .to(airportDelays),

  departures
    .rekey(({ destination }, { key: origin }) => `${origin}-${destination}`)
    .through(flightsByRoute)
    .fold(delaysOfRoute, {
      init: () => ({ flights: 0, minutes: 0 }),
      update: ({ flights, minutes }, { delay }) => ({ flights: flights + 1, minutes: minutes + delay }),
    })
    .to(routeDelays),
);
